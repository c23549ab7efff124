//! Times as texts: shown, never used for order, which is file order (DESIGN §3.2).

use jiff::Timestamp;
use jiff::tz::Offset;

/// RFC 3339 in UTC with milliseconds, as every event's `at` is written.
pub fn rfc3339(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

/// Milliseconds since 1970 of an `at`, or nothing when it is no time: then it is kept as text.
pub fn millis(at: &str) -> Option<i64> {
    at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// The stamp in a document's name, UTC `YYYYMMDDHHMMSSss`. Documents are found by id, so a stamp
/// of zeros for an `at` that is no time does no harm. Nor does it for one before the year 0, whose
/// sign would make a name that is no document's.
pub fn document_stamp(at: &str) -> String {
    let civil = at.parse().map(|time| Offset::UTC.to_datetime(time));
    let Some(civil) = civil.ok().filter(|civil| civil.year() >= 0) else {
        return "0".repeat(16);
    };
    format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}{:02}",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second(),
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
