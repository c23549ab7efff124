//! What a report is about: the time, and the goals that it tells of one by one. In a project of ten
//! thousand goals that is a window: those that are open or that something happened to.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::row::Row;
use crate::domain::id::GoalId;
use crate::domain::report::document::LeftOut;
use crate::domain::time::{DAY, millis, rfc3339, span};
use crate::domain::words::words;

/// How far back a report looks where nothing is said: a day.
const USUAL: i64 = DAY;

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
    /// The beginning of the day in UTC, so many days before that of the report.
    DaysBack(i64),
    /// This moment, in milliseconds since 1970.
    Moment(i64),
    /// The beginning of the ledger.
    All,
}

impl Since {
    /// Reads `last`, `8h`, `45m`, `2d`, `today`, `yesterday`, a day `2026-11-21` or a time in RFC 3339.
    ///
    /// # Errors
    /// It is none of them.
    pub fn read(text: &str) -> Result<Since, String> {
        let text = text.trim();
        match text {
            "last" => return Ok(Since::LastLook),
            "today" => return Ok(Since::DaysBack(0)),
            "yesterday" => return Ok(Since::DaysBack(1)),
            _ => {}
        }
        let moment = millis(text).or_else(|| millis(&format!("{text}T00:00:00.000Z")));
        let found = span(text).map(Since::Ago).or(moment.map(Since::Moment));
        found.ok_or_else(|| {
            "give `last`, a time that has passed (`45m`, `8h`, `2d`), a day in UTC (`yesterday`, \
             `2026-11-21`) or a time (`2026-11-21T20:00:00Z`)"
                .to_owned()
        })
    }

    /// The moment that it means `now`, where somebody looked at `looked` the last time; nothing where it
    /// means the beginning of the ledger.
    ///
    /// # Errors
    /// It is still to come: nothing can have happened since.
    pub fn moment(self, looked: Option<i64>, now: i64) -> Result<Option<i64>, Ahead> {
        let moment = match self {
            Since::Usual => Some(now.saturating_sub(USUAL)),
            Since::Ago(millis) => Some(now.saturating_sub(millis)),
            Since::DaysBack(days) => {
                let today = now.saturating_sub(now.rem_euclid(DAY));
                Some(today.saturating_sub(days.saturating_mul(DAY)))
            }
            Since::Moment(moment) if moment > now => return Err(Ahead { moment, now }),
            Since::Moment(moment) => Some(moment),
            Since::All => None,
            Since::LastLook => looked,
        };
        Ok(moment)
    }
}

/// A time that is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} is still to come: it is {} now", rfc3339(*moment), rfc3339(*now))]
pub struct Ahead {
    moment: i64,
    now: i64,
}

impl Window {
    /// The window of a report that is made `now`, where somebody looked at `looked` the last time.
    ///
    /// # Errors
    /// It would begin after its end.
    pub fn of(since: Since, looked: Option<i64>, now: i64) -> Result<Window, Ahead> {
        let from = since.moment(looked, now)?;
        let beginning = match (since, from) {
            (_, None) => Beginning::Ledger,
            (Since::LastLook, _) => Beginning::LastLook,
            _ => Beginning::Time,
        };
        Ok(Window {
            beginning,
            from: from.map(rfc3339),
            to: rfc3339(now),
        })
    }

    /// Whether a recorded time is in it. What has no time that can be read is not.
    pub fn has(&self, at: &str) -> bool {
        let Some(from) = self.from.as_deref().and_then(millis) else {
            return true;
        };
        millis(at).is_some_and(|at| at >= from)
    }
}

/// The most goals that a report tells of one by one, unless all are asked for.
pub const MOST: usize = 150;

/// The goals that are told of.
#[derive(Debug, Default)]
pub struct Selection {
    /// In order of creation.
    pub ids: Vec<GoalId>,
    pub left_out: LeftOut,
}

impl Selection {
    /// Of these goals, in order of creation, those that are open or changed in the window, all of
    /// them with `all`. Where they are too many, those that `first` names, then open ones, then
    /// those that changed last.
    pub fn of(
        rows: &[Row],
        window: &Window,
        all: bool,
        first: impl Fn(&GoalId) -> bool,
    ) -> Selection {
        let mut selection = Selection::default();
        let wanted = |goal: &&Row| all || goal.status.is_open() || window.has(&goal.updated_at);
        let mut chosen: Vec<&Row> = rows.iter().filter(wanted).collect();
        selection.left_out.ended_before = (rows.len() - chosen.len()) as u64;
        if !all && chosen.len() > MOST {
            chosen.sort_by(|a, b| {
                let rank = |goal: &Row| (first(&goal.id), goal.status.is_open());
                let of_both = rank(b).cmp(&rank(a));
                of_both.then_with(|| b.updated_at.cmp(&a.updated_at))
            });
            selection.left_out.too_many = (chosen.len() - MOST) as u64;
            chosen.truncate(MOST);
            chosen.sort_by_key(|goal| goal.ordinal);
        }
        selection.ids = chosen.into_iter().map(|goal| goal.id.clone()).collect();
        selection
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::{HOUR, MINUTE};

    #[test]
    fn a_beginning_is_read_as_people_write_it() {
        for (text, since) in [
            ("last", Since::LastLook),
            ("45m", Since::Ago(45 * MINUTE)),
            (" 8h ", Since::Ago(8 * HOUR)),
            ("2d", Since::Ago(2 * DAY)),
            ("today", Since::DaysBack(0)),
            ("yesterday", Since::DaysBack(1)),
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
            "tomorrow",
            "99999999999d",
            "8é",
        ] {
            assert!(Since::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn without_a_last_look_all_of_the_ledger_is_new() {
        let now = 2 * DAY;
        let of = |since, looked| Window::of(since, looked, now).unwrap().from;
        assert_eq!(of(Since::Usual, Some(5)), Some(rfc3339(DAY)));
        assert_eq!(of(Since::LastLook, Some(5)), Some(rfc3339(5)));
        assert_eq!(of(Since::LastLook, None), None);
        assert_eq!(of(Since::All, Some(5)), None);
        let noon = now + 12 * HOUR;
        let day = |back| Since::DaysBack(back).moment(None, noon);
        assert_eq!((day(0), day(1)), (Ok(Some(now)), Ok(Some(now - DAY))));
        assert!(Window::of(Since::Moment(now), None, now).is_ok());
        assert!(Window::of(Since::Moment(now + 1), None, now).is_err());
        let window = Window::of(Since::Ago(HOUR), None, now).unwrap();
        assert!(window.has(&rfc3339(now - HOUR)) && !window.has(&rfc3339(now - HOUR - 1)));
        assert!(!window.has("never"));
    }
}
