//! When a run is to be over: a time of day, or so long from its start.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;

/// The longest time that a run can be given, in seconds.
const LONGEST: u64 = 365 * 24 * 60 * 60;

/// When a run is to be over, as the user says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deadline {
    /// So long from now.
    In(Duration),
    /// The next time that a clock shows this.
    At(Time),
}

impl Deadline {
    /// Reads `07:00`, `45m`, `8h` or `2d`; nothing where it is none of them.
    pub fn read(text: &str) -> Option<Deadline> {
        if let Some((hour, minute)) = text.split_once(':') {
            let is_short = |it: &str| (1..=2).contains(&it.len());
            let (hour, minute) = (
                Some(hour).filter(|it| is_short(it))?,
                Some(minute).filter(|it| it.len() == 2)?,
            );
            let time = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0);
            return time.ok().map(Deadline::At);
        }
        let unit = text.chars().last()?;
        let seconds = match unit {
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        let number: u64 = text[..text.len() - 1].parse().ok()?;
        let seconds = number
            .checked_mul(seconds)
            .filter(|it| (1..=LONGEST).contains(it))?;
        Some(Deadline::In(Duration::from_secs(seconds)))
    }

    /// The moment, in milliseconds since 1970, for a run that begins `now` where clocks show the time of
    /// `zone`; nothing where there is no such moment.
    pub fn moment(self, now: i64, zone: &TimeZone) -> Option<i64> {
        match self {
            Deadline::In(time) => now.checked_add(i64::try_from(time.as_millis()).ok()?),
            Deadline::At(time) => {
                let now = Timestamp::from_millisecond(now)
                    .ok()?
                    .to_zoned_datetime(zone.clone());
                let on = |date: jiff::civil::Date| {
                    date.to_datetime(time).to_zoned_datetime(zone.clone()).ok()
                };
                let today = on(now.date())?;
                let next = match today > now {
                    true => today,
                    false => on(now.date().tomorrow().ok()?)?,
                };
                Some(next.timestamp().as_millisecond())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_the_next_one_and_a_duration_counts_from_now() {
        // 2026-11-28 at 20:30 in UTC.
        let now = 1_795_897_800_000;
        let minutes = |text: &str| {
            let moment = Deadline::read(text)?.moment(now, &TimeZone::UTC)?;
            Some((moment - now) / 60_000)
        };
        for (text, expected) in [
            ("07:00", Some(630)),
            ("7:00", Some(630)),
            ("20:31", Some(1)),
            ("20:30", Some(24 * 60)),
            ("45m", Some(45)),
            ("8h", Some(480)),
            ("2d", Some(2880)),
            ("24:00", None),
            ("7:5", None),
            ("0h", None),
            ("8", None),
            ("h", None),
            ("", None),
            ("ü", None),
            ("366d", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
