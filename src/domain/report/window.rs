//! The time that a report is about.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::time::{millis, rfc3339};
use crate::domain::words::words;

/// How far back a report looks where nothing is said: a day.
const USUAL: i64 = 24 * HOUR;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

words! {
    /// What the window begins with.
    pub enum Beginning {
        /// A time that was asked for, or a day before the report.
        Time = "time",
        /// The last look at a report.
        LastLook = "last",
        /// The first line of the ledger.
        Ledger = "all",
    }
}

/// From when to when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReportWindow")]
pub struct Window {
    pub beginning: Beginning,
    /// Null for all of the ledger.
    pub from: Option<String>,
    pub to: String,
}

/// What was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Since {
    /// The day before the report.
    #[default]
    Usual,
    /// The last look, and all of the ledger where there was none.
    LastLook,
    /// So many milliseconds before the report.
    Ago(i64),
    /// This moment, in milliseconds since 1970.
    Moment(i64),
    /// The beginning of the ledger.
    All,
}

impl Since {
    /// Reads `last`, `8h`, `45m`, `2d`, a day `2026-11-21` or a time in RFC 3339.
    ///
    /// # Errors
    /// It is none of them.
    pub fn read(text: &str) -> Result<Since, String> {
        let text = text.trim();
        if text == "last" {
            return Ok(Since::LastLook);
        }
        let moment = millis(text).or_else(|| millis(&format!("{text}T00:00:00.000Z")));
        let found = ago(text).map(Since::Ago).or(moment.map(Since::Moment));
        found.ok_or_else(|| {
            "give `last`, a time that has passed (`45m`, `8h`, `2d`), a day in UTC (`2026-11-21`) or \
             a time (`2026-11-21T20:00:00Z`)"
                .to_owned()
        })
    }
}

fn ago(text: &str) -> Option<i64> {
    let unit = match text.chars().next_back()? {
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    i64::from(number).checked_mul(unit)
}

impl Window {
    /// The window of a report that is made `now`, where somebody looked at `looked` the last time.
    pub fn of(since: Since, looked: Option<i64>, now: i64) -> Window {
        let (beginning, from) = match since {
            Since::Usual => (Beginning::Time, Some(now.saturating_sub(USUAL))),
            Since::Ago(millis) => (Beginning::Time, Some(now.saturating_sub(millis))),
            Since::Moment(moment) => (Beginning::Time, Some(moment)),
            Since::All => (Beginning::Ledger, None),
            Since::LastLook => match looked {
                Some(moment) => (Beginning::LastLook, Some(moment)),
                None => (Beginning::Ledger, None),
            },
        };
        Window {
            beginning,
            from: from.map(rfc3339),
            to: rfc3339(now),
        }
    }

    /// Whether a recorded time is in it. What has no time that can be read is not.
    pub fn has(&self, at: &str) -> bool {
        let Some(from) = self.from.as_deref().and_then(millis) else {
            return true;
        };
        millis(at).is_some_and(|at| at >= from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_is_read_as_people_write_it() {
        for (text, since) in [
            ("last", Since::LastLook),
            ("45m", Since::Ago(45 * MINUTE)),
            (" 8h ", Since::Ago(8 * HOUR)),
            ("2d", Since::Ago(2 * DAY)),
            ("1970-01-02", Since::Moment(DAY)),
            ("1970-01-01T01:00:00+01:00", Since::Moment(0)),
        ] {
            assert_eq!(Since::read(text), Ok(since), "{text}");
        }
        for text in [
            "",
            "h",
            "-8h",
            "8",
            "8 hours",
            "yesterday",
            "99999999999d",
            "8é",
        ] {
            assert!(Since::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_a_last_look_all_of_the_ledger_is_new() {
        let now = 2 * DAY;
        let of = |since, looked| Window::of(since, looked, now).from;
        assert_eq!(of(Since::Usual, Some(5)), Some(rfc3339(DAY)));
        assert_eq!(of(Since::LastLook, Some(5)), Some(rfc3339(5)));
        assert_eq!(of(Since::LastLook, None), None);
        assert_eq!(of(Since::All, Some(5)), None);
        let window = Window::of(Since::Ago(HOUR), None, now);
        assert!(window.has(&rfc3339(now - HOUR)) && !window.has(&rfc3339(now - HOUR - 1)));
        assert!(!window.has("never"));
    }
}
