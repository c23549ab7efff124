//! When agents worked on a goal: times of their acts that lie close together are one burst.

use crate::domain::report::document::Burst;
use crate::domain::time::rfc3339;

/// A longer break ends a burst: 20 minutes, since an agent that reads and thinks records nothing
/// for a while.
const BREAK: i64 = 20 * 60_000;

/// Times of work, as they come.
#[derive(Debug, Default)]
pub struct Bursts(Vec<(i64, i64)>);

impl Bursts {
    /// Work that ended at this time and took so long, in milliseconds.
    pub fn work(&mut self, at: i64, took: i64) {
        let from = at.saturating_sub(took.max(0));
        match self.0.last_mut() {
            // Lines of a merged ledger need not come in the order of their times.
            Some((first, last)) if from <= *last + BREAK && at >= *first - BREAK => {
                *first = (*first).min(from);
                *last = (*last).max(at);
            }
            _ => self.0.push((from, at)),
        }
    }

    /// The bursts, as texts.
    pub fn into_bursts(self) -> Vec<Burst> {
        let all = self.0.into_iter();
        all.map(|(from, to)| Burst {
            from: rfc3339(from),
            to: rfc3339(to),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_divides_work_and_a_long_turn_reaches_back() {
        let minute = 60_000;
        let mut bursts = Bursts::default();
        for (at, took) in [(100, 0), (110, 0), (125, 5), (200, 30), (205, 0)] {
            bursts.work(at * minute, took * minute);
        }
        let minutes: Vec<(i64, i64)> = bursts
            .0
            .iter()
            .map(|(from, to)| (from / minute, to / minute))
            .collect();
        assert_eq!(minutes, [(100, 125), (170, 205)]);
        let text = bursts.into_bursts();
        assert_eq!(text[0].from, "1970-01-01T01:40:00.000Z");
    }
}
