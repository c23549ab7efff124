//! How long something took and what it cost, the same in every text.

use std::time::Duration;

use crate::domain::time::{DAY, HOUR, MINUTE, millis};

/// `9 s`, `1 min 05 s`, `2 h 03 min`, `4 d 2 h`.
pub fn spent(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {:02} s", seconds % 60),
        (0, ..) => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// [`spent`] of a recorded number of seconds; of one that is no time, `0 s`.
pub fn spent_seconds(seconds: f64) -> String {
    spent(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// [`spent`] between two recorded times; nothing where one of them is none.
pub fn lasted(from: &str, to: &str) -> String {
    let (Some(from), Some(to)) = (millis(from), millis(to)) else {
        return String::new();
    };
    let lasted = to.saturating_sub(from);
    spent(Duration::from_millis(u64::try_from(lasted).unwrap_or(0)))
}

/// How old a recorded time is, in the few columns of a table: `now`, `24m`, `3h`, `12d`; of one that is no
/// time, `?`.
pub(super) fn age(at: &str, now: i64) -> String {
    let Some(age) = millis(at).map(|then| now.saturating_sub(then)) else {
        return "?".to_owned();
    };
    match age {
        ..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m", age / MINUTE),
        HOUR..DAY => format!("{}h", age / HOUR),
        DAY.. => format!("{}d", age / DAY),
    }
}

/// `$67.70`; less than ten cents in four places, since it is not nothing: `$0.0042`.
pub fn usd(sum: f64) -> String {
    match sum > 0.0 && sum < 0.1 {
        true => format!("${sum:.4}"),
        false => format!("${sum:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time_have_two_units_at_most() {
        for (seconds, text) in [
            (0.4, "0 s"),
            (59.9, "59 s"),
            (60.0, "1 min 00 s"),
            (65.0, "1 min 05 s"),
            (3599.0, "59 min 59 s"),
            (7500.0, "2 h 05 min"),
            (86_399.0, "23 h 59 min"),
            (93_600.0, "1 d 2 h"),
            (-1.0, "0 s"),
            (f64::NAN, "0 s"),
        ] {
            assert_eq!(spent_seconds(seconds), text);
        }
        assert_eq!(
            lasted("2026-11-21T19:41:05.000Z", "2026-11-21T21:46:05.000Z"),
            "2 h 05 min"
        );
        assert_eq!(lasted("never", "2026-11-21T19:41:05.000Z"), "");
    }

    #[test]
    fn ages_have_one_unit() {
        let now = millis("2026-11-21T20:00:00.000Z").unwrap();
        for (at, text) in [
            ("2026-11-21T20:05:00.000Z", "now"),
            ("2026-11-21T19:59:01.000Z", "now"),
            ("2026-11-21T19:36:00.000Z", "24m"),
            ("2026-11-21T17:00:00.000Z", "3h"),
            ("2026-11-09T20:00:00.000Z", "12d"),
            ("2023-11-21T20:00:00.000Z", "1096d"),
            ("yesterday", "?"),
        ] {
            assert_eq!(age(at, now), text);
        }
    }

    #[test]
    fn little_money_is_not_nothing() {
        for (sum, text) in [
            (0.0, "$0.00"),
            (0.0042, "$0.0042"),
            (0.1, "$0.10"),
            (67.7, "$67.70"),
        ] {
            assert_eq!(usd(sum), text);
        }
    }
}
