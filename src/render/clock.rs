//! Times as a text shows them: for a person at a terminal the time where they are and how long ago it
//! was, elsewhere as it is recorded, so that a program reads what it read before.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::domain::time::{millis, rfc3339};
use crate::render::text::one_line;
use crate::render::work::ago;

/// When a text is read, and where.
#[derive(Debug, Clone, Copy)]
pub struct Clock<'a> {
    /// Milliseconds since 1970.
    pub now: i64,
    times: Times<'a>,
}

/// How a text has times.
#[derive(Debug, Clone, Copy)]
enum Times<'a> {
    AsRecorded,
    /// Where the person is who reads it.
    In(&'a TimeZone),
    /// How long ago they were, on a screen that is drawn again and again.
    Ages,
}

impl<'a> Clock<'a> {
    /// For somebody who is there, or for a program where nobody is.
    pub fn of(now: i64, zone: Option<&'a TimeZone>) -> Clock<'a> {
        let times = zone.map_or(Times::AsRecorded, Times::In);
        Clock { now, times }
    }

    /// For a screen.
    pub(super) fn ages(now: i64) -> Clock<'static> {
        Clock {
            now,
            times: Times::Ages,
        }
    }

    /// A recorded time: `2026-11-21 21:05, 3 hours ago`.
    pub(super) fn time(&self, at: &str) -> String {
        match self.local(at) {
            None if matches!(self.times, Times::Ages) => ago(at, self.now),
            None => one_line(at),
            // Of another clock's time nobody can say how long ago it was.
            Some((local, ahead)) if ahead => local,
            Some((local, _)) => format!("{local}, {}", ago(at, self.now)),
        }
    }

    /// The same in a column, where ages would be in the way: `2026-11-21 21:05`.
    pub(super) fn short(&self, at: &str) -> String {
        self.local(at)
            .map_or_else(|| one_line(at), |(local, _)| local)
    }

    /// The time where the person is, and whether it is still to come.
    fn local(&self, at: &str) -> Option<(String, bool)> {
        let Times::In(zone) = self.times else {
            return None;
        };
        let millis = millis(at)?;
        let time = Timestamp::from_millisecond(millis).ok()?;
        let local = time
            .to_zoned_datetime(zone.clone())
            .strftime("%Y-%m-%d %H:%M");
        Some((local.to_string(), millis > self.now))
    }
}

/// The time of day in UTC, `19:41`.
pub fn clock(at: &str) -> String {
    in_utc(at).map_or_else(|| one_line(at), |at| at[11..16].to_owned())
}

/// The time of day in UTC with its seconds, `19:41:05`.
pub fn clock_with_seconds(at: &str) -> String {
    in_utc(at).map_or_else(|| one_line(at), |at| at[11..19].to_owned())
}

/// Day and time in UTC, `2026-11-21 19:41`.
pub fn moment(at: &str) -> String {
    in_utc(at).map_or_else(
        || one_line(at),
        |at| format!("{} {}", &at[..10], &at[11..16]),
    )
}

/// The day in UTC, `21 Nov`.
pub fn day(at: &str) -> String {
    let time = millis(at).and_then(|at| Timestamp::from_millisecond(at).ok());
    time.map_or_else(|| one_line(at), |at| at.strftime("%-d %b").to_string())
}

/// A recorded time, which can be of any time zone; nothing where it is no time.
fn in_utc(at: &str) -> Option<String> {
    millis(at).map(rfc3339)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_the_time_where_they_are_and_a_program_what_is_recorded() {
        let at = "2026-11-21T20:15:00.123Z";
        let now = millis("2026-11-21T23:30:00.000Z").unwrap();
        let india = TimeZone::posix("IST-5:30").unwrap();
        let clock = Clock::of(now, Some(&india));
        assert_eq!(clock.time(at), "2026-11-22 01:45, 3 hours ago");
        assert_eq!(clock.short(at), "2026-11-22 01:45");
        assert_eq!(clock.time("2026-11-22T00:00:00Z"), "2026-11-22 05:30");
        assert_eq!(clock.time("yester\nday"), "yester day");
        assert_eq!(Clock::of(now, None).time(at), at);
        assert_eq!(Clock::ages(now).time(at), "3 hours ago");
    }

    #[test]
    fn a_time_that_is_none_is_shown_cleaned() {
        assert_eq!(clock("2026-11-21T19:41:05.000Z"), "19:41");
        assert_eq!(clock_with_seconds("2026-11-21T19:41:05.000Z"), "19:41:05");
        assert_eq!(moment("2026-11-21T19:41:05.000Z"), "2026-11-21 19:41");
        assert_eq!(day("2026-11-01T00:30:00+05:00"), "31 Oct");
        assert_eq!(clock("2026-11-22T00:41:05+05:00"), "19:41");
        assert_eq!(moment("2026-11-22T00:41:05+05:00"), "2026-11-21 19:41");
        assert_eq!(clock("never\u{1b}[2J"), "never\u{fffd}[2J");
    }
}
