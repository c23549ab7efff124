//! The history of scores, and what can be read from it. None of it completes or ends a goal.
//!
//! | rule | holds when | needs |
//! |---|---|---|
//! | complete candidate | the latest ≥ 0.95 | 1 score |
//! | improving | the latest > the one before | 2 scores |
//! | leaping | the latest ≥ the one before + 0.15 | 2 scores |
//! | halfway | the latest ≥ 0.5 | 1 score |
//! | diminishing returns | of the last 3, the highest − the lowest < 0.05 | 3 scores |
//!
//! With fewer scores a rule does not hold. All compare [the decimals that were written](Score::units).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::domain::goal::bounded::push_bounded;
use crate::domain::progress::score::Score;

/// How many scores are kept.
pub const KEPT: usize = 8;

const HUNDREDTH: u64 = Score::ONE / 100;
const CANDIDATE: u64 = 95 * HUNDREDTH;
const LEAP: u64 = 15 * HUNDREDTH;
const HALF: u64 = 50 * HUNDREDTH;
const DIMINISHING: u64 = 5 * HUNDREDTH;
const LAST: usize = 3;

/// The latest scores, oldest first, at most [`KEPT`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    scores: VecDeque<Score>,
}

impl History {
    /// The history with one more score; the oldest goes where it has [`KEPT`].
    pub fn push(&mut self, score: Score) {
        push_bounded(&mut self.scores, score, KEPT);
    }

    /// The scores, oldest first.
    pub fn scores(&self) -> impl DoubleEndedIterator<Item = Score> + '_ {
        self.scores.iter().copied()
    }

    /// The latest score.
    pub fn latest(&self) -> Option<Score> {
        self.scores.back().copied()
    }

    /// Whether the goal looks complete.
    pub fn is_candidate(&self) -> bool {
        self.latest()
            .is_some_and(|score| score.units() >= CANDIDATE)
    }

    /// Whether the latest score is above the one before.
    pub fn is_improving(&self) -> bool {
        self.pair().is_some_and(|(before, now)| now > before)
    }

    /// Whether the latest score is far above the one before.
    pub fn is_leaping(&self) -> bool {
        self.pair()
            .is_some_and(|(before, now)| now >= before + LEAP)
    }

    /// Whether half of the way is done.
    pub fn is_halfway(&self) -> bool {
        self.latest().is_some_and(|score| score.units() >= HALF)
    }

    /// Whether a goal whose escalations are spent gets one more, the runway, where it has not had it:
    /// half of the way is done, and the latest score is above the one before.
    pub fn gets_runway(&self) -> bool {
        self.is_halfway() && self.is_improving()
    }

    /// Whether the latest scores hardly differ.
    pub fn is_diminishing(&self) -> bool {
        let last = || self.scores().rev().take(LAST).map(Score::units);
        match (last().min(), last().max()) {
            (Some(low), Some(high)) => self.scores.len() >= LAST && high - low < DIMINISHING,
            _ => false,
        }
    }

    /// The score before the latest, and the latest.
    fn pair(&self) -> Option<(u64, u64)> {
        let mut latest = self.scores().rev().map(Score::units);
        let now = latest.next()?;
        Some((latest.next()?, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::progress::testing::history;

    #[test]
    fn eight_scores_are_kept() {
        let mut eight = history(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
        assert_eq!(eight.scores().count(), 8);
        eight.push(Score::try_from(0.9).unwrap());
        assert_eq!(eight, history(&[0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]));
    }

    #[test]
    fn a_candidate_has_at_least_95_hundredths() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.949_999], false),
            (&[0.949_999_9], false),
            (&[0.949_999_999_999_999_9], false),
            (&[0.95], true),
            (&[0.950_001], true),
            (&[1.0], true),
            (&[0.99, 0.9], false),
        ] {
            assert_eq!(history(scores).is_candidate(), is, "{scores:?}");
        }
    }

    #[test]
    fn improving_is_above_the_one_before() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.9], false),
            (&[0.4, 0.399_999], false),
            (&[0.4, 0.4], false),
            (&[0.4, 0.400_001], true),
            (&[0.4, 0.400_000_000_000_000_1], true),
            (&[0.9, 0.3, 0.4], true),
        ] {
            assert_eq!(history(scores).is_improving(), is, "{scores:?}");
        }
    }

    #[test]
    fn a_leap_is_15_hundredths_or_more() {
        for (scores, is) in [
            (&[0.9][..], false),
            (&[0.8, 0.949_999], false),
            (&[0.8, 0.949_999_9], false),
            (&[0.3, 0.449_999_999_999_999_9], false),
            // As floats this difference is below 0.15.
            (&[0.8, 0.95], true),
            (&[0.6, 0.75], true),
            (&[0.8, 0.950_001], true),
            (&[0.95, 0.8], false),
            (&[0.0, 0.1, 0.2], false),
        ] {
            assert_eq!(history(scores).is_leaping(), is, "{scores:?}");
        }
    }

    #[test]
    fn half_of_the_way_is_5_tenths() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.499_999], false),
            (&[0.499_999_9], false),
            (&[0.499_999_999_999_999_9], false),
            (&[0.5], true),
            (&[0.500_001], true),
            (&[0.6, 0.4], false),
        ] {
            assert_eq!(history(scores).is_halfway(), is, "{scores:?}");
        }
    }

    #[test]
    fn three_scores_within_5_hundredths_are_diminishing() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.4], false),
            (&[0.4, 0.4], false),
            (&[0.4, 0.4, 0.4], true),
            (&[0.4, 0.449_999, 0.42], true),
            (&[0.1, 0.1, 0.149_999_9], true),
            (&[0.1, 0.1, 0.149_999_999_999_999_9], true),
            // As floats 0.45 − 0.40 is below 0.05, 0.35 − 0.30 is not.
            (&[0.4, 0.45, 0.42], false),
            (&[0.3, 0.35, 0.3], false),
            (&[0.4, 0.450_001, 0.42], false),
            // Neither is it the difference of the ends.
            (&[0.4, 0.9, 0.4], false),
            // Only the last three count.
            (&[0.9, 0.4, 0.4, 0.4], true),
        ] {
            assert_eq!(history(scores).is_diminishing(), is, "{scores:?}");
        }
    }

    #[test]
    fn the_runway_takes_half_of_the_way_and_a_rise() {
        for (scores, is) in [
            (&[][..], false),
            (&[0.6], false),
            (&[0.4, 0.499_999], false),
            (&[0.4, 0.5], true),
            (&[0.5, 0.5], false),
            (&[0.5, 0.500_001], true),
            (&[0.7, 0.6], false),
        ] {
            assert_eq!(history(scores).gets_runway(), is, "{scores:?}");
        }
    }
}
