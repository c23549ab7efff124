//! Times as text. They are shown, and they decide the order only of lines that had not seen each
//! other (docs/ledger-format.md#order).

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;

/// RFC 3339 in UTC with milliseconds, as every event's `at` is written.
pub fn rfc3339(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

/// Where an `at` stands in an order by time: what is no time comes last.
pub fn order(at: Option<&str>) -> i64 {
    at.and_then(millis).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970 of an `at`; `None` if it is not a time.
pub fn millis(at: &str) -> Option<i64> {
    let time = ours(at).or_else(|| at.parse().ok());
    time.map(Timestamp::as_millisecond)
}

/// In milliseconds.
pub const MINUTE: i64 = 60 * 1_000;
/// In milliseconds.
pub const HOUR: i64 = 60 * MINUTE;
/// In milliseconds.
pub const DAY: i64 = 24 * HOUR;

/// So many milliseconds: `30s`, `45m`, `8h`, `2d`.
pub fn span(text: &str) -> Option<i64> {
    let unit = match text.chars().next_back()? {
        's' => 1_000,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    i64::from(number).checked_mul(unit)
}

/// Whether an `at` is less than this before `now`, or behind it.
pub fn is_within(at: &str, now: i64, time: Duration) -> bool {
    let most = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    millis(at).is_some_and(|at| now.saturating_sub(at) < most)
}

/// Whether this looks like a time as [`rfc3339`] writes it: of two that are times, the later text is
/// the later time.
pub(in crate::domain) fn is_usual(at: &str) -> bool {
    <&[u8; 24]>::try_from(at.as_bytes()).is_ok_and(has_marks) && at.as_bytes()[17] != b'6'
}

/// Where a time as [`rfc3339`] writes it has no digits.
fn has_marks(text: &[u8; 24]) -> bool {
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'.'),
        (23, b'Z'),
    ];
    marks.iter().all(|(place, mark)| text[*place] == *mark)
}

/// A time as [`rfc3339`] writes it. A listing reads one time for each goal, and the parser for all
/// other forms takes ten times as long.
fn ours(at: &str) -> Option<Timestamp> {
    let text: &[u8; 24] = at.as_bytes().try_into().ok()?;
    if !has_marks(text) {
        return None;
    }
    let number = |from: usize, digits: usize| {
        let digits = text[from..from + digits].iter();
        digits.into_iter().try_fold(0, |sum: i16, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + i16::from(digit - b'0'))
        })
    };
    let small = |from: usize| i8::try_from(number(from, 2)?).ok();
    let date = Date::new(number(0, 4)?, small(5)?, small(8)?).ok()?;
    let nanoseconds = i32::from(number(20, 3)?) * 1_000_000;
    let time = Time::new(small(11)?, small(14)?, small(17)?, nanoseconds).ok()?;
    Offset::UTC.to_timestamp(date.to_datetime(time)).ok()
}

/// The stamp in a document's name, UTC `YYYYMMDDHHMMSSss`. It is zeros if `at` is not a time, or is
/// before the year 0, whose sign would make the name invalid. That does no harm, because documents
/// are found by id.
pub fn document_stamp(at: &str) -> String {
    let civil = at.parse().map(|time| Offset::UTC.to_datetime(time));
    let Some(civil) = civil.ok().filter(|civil| civil.year() >= 0) else {
        return "0".repeat(16);
    };
    format!(
        "{}{:02}",
        civil.strftime("%Y%m%d%H%M%S"),
        civil.millisecond() / 10
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_there_and_back() {
        let at = "2026-11-21T20:15:00.123Z";
        assert_eq!(rfc3339(millis(at).unwrap()), at);
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(millis("yesterday"), None);
        assert_eq!(millis("2026-11-21T21:15:00.123+01:00"), millis(at));
    }

    #[test]
    fn our_own_way_to_write_a_time_is_read_as_the_parser_reads_it() {
        let valid = ["2024-02-29T23:59:59.999Z", "0000-01-01T00:00:00.000Z"];
        for at in valid {
            assert_eq!(ours(at), Some(at.parse().unwrap()), "{at}");
        }
        for other in [
            "2026-11-21T20:15:60.123Z",
            "2026-02-29T20:15:00.123Z",
            "2026-13-01T20:15:00.123Z",
            "2026-11-21T24:15:00.123Z",
            "2026-11-21t20:15:00.123Z",
            "2026-11-21T20:15:00.123z",
            "2026-11-21T20:15:00.12éZ",
            "2026-11-21T20:15:00.12 Z",
            "+026-11-21T20:15:00.123Z",
            "2026-11-21T20:15:00.1234Z",
            "",
        ] {
            assert_eq!(ours(other), None, "{other}");
        }
    }

    #[test]
    fn stamps_are_sixteen_digits() {
        assert_eq!(
            document_stamp("2026-11-21T20:15:00.129Z"),
            "2026112120150012"
        );
        assert_eq!(
            document_stamp("9999-12-30T22:00:00.999Z"),
            "9999123022000099"
        );
        for odd in [
            "never",
            "-000005-01-01T00:00:00Z",
            "-009999-01-02T02:00:00Z",
        ] {
            assert_eq!(document_stamp(odd), "0000000000000000", "{odd}");
        }
    }
}
