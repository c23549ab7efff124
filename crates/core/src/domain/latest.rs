//! The latest time that the lines of a ledger say: where a ledger forks, the lines behind the fork are
//! put in order by times that are never earlier than this (docs/ledger-format.md#order).

use serde::{Deserialize, Serialize};

use crate::domain::time;

/// The latest time of the lines so far. Nearly all times are written as ours are: of those the texts
/// are compared, since a million lines are too many to parse.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestTime {
    /// The latest of our lines in the usual form; empty where there is none.
    usual: String,
    /// The latest of our lines in other forms, in milliseconds.
    other: Option<i64>,
    /// The latest of other programs' lines, in milliseconds.
    theirs: Option<i64>,
}

impl LatestTime {
    /// A line of ours says this time.
    pub(in crate::domain) fn ours(&mut self, at: &str) {
        match time::is_usual(at) {
            true if *at > *self.usual => {
                self.usual.clear();
                self.usual.push_str(at);
            }
            true => {}
            false => self.other = self.other.max(time::millis(at)),
        }
    }

    /// A line of another program says this time.
    pub(in crate::domain) fn theirs(&mut self, at: &str) {
        self.theirs = self.theirs.max(time::millis(at));
    }

    /// The latest time of the lines that have a place in the order of their own, in milliseconds. The
    /// outer `None`: it cannot be told, since whether a line of another program has such a place
    /// depends on the lines behind it.
    pub(in crate::domain) fn millis(&self) -> Option<Option<i64>> {
        let usual = match self.usual.is_empty() {
            true => None,
            // What only looks like a time hides the ones before it.
            false => Some(time::millis(&self.usual)?),
        };
        let ours = usual.max(self.other);
        (self.theirs <= ours).then_some(ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latest(ours: &[&str]) -> Option<Option<i64>> {
        let mut latest = LatestTime::default();
        ours.iter().for_each(|at| latest.ours(at));
        latest.millis()
    }

    #[test]
    fn the_latest_time_is_that_of_all_forms() {
        assert_eq!(latest(&[]), Some(None));
        let usual = ["2026-01-05T10:00:00.001Z", "2025-12-31T23:59:59.999Z"];
        assert_eq!(latest(&usual), Some(time::millis(usual[0])));
        let odd = "2026-01-05T12:00:00+01:00";
        assert_eq!(latest(&[usual[0], odd, "soon"]), Some(time::millis(odd)));
        assert_eq!(latest(&["soon"]), Some(None));
    }

    #[test]
    fn what_only_looks_like_a_time_is_not_taken_for_one() {
        assert_eq!(
            latest(&["2026-01-05T10:00:00.000Z", "2026-99-05T10:00:00.000Z"]),
            None
        );
        // A leap second is the second before it, and not the latest.
        let leap = ["2016-12-31T23:59:60.000Z", "2016-12-31T23:59:59.500Z"];
        let millis = leap.map(time::millis);
        assert_eq!(latest(&leap), Some(millis[0].max(millis[1])));
    }

    #[test]
    fn the_time_of_another_program_is_of_no_use_where_it_is_the_latest() {
        let mut latest = LatestTime::default();
        latest.ours("2026-01-05T10:00:00.000Z");
        latest.theirs("2026-01-05T10:00:00.001Z");
        assert_eq!(latest.millis(), None);
        latest.ours("2026-01-05T10:00:00.002Z");
        assert!(latest.millis().is_some());
    }
}
