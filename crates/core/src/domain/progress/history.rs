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
//!
//! Scores: how far a goal is, from 0 to 1, and how two of them are compared.

use std::collections::VecDeque;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::goal::push_bounded;

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

/// A number from 0 to 1. An event with another one is malformed.
// Not clamped, or another program's 60 of 100 would count as done.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(extend("minimum" = 0, "maximum" = 1))]
pub struct Score(f64);

/// What is no score.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("must be a number from 0 to 1, not {0:?}")]
pub struct NoScore(f64);

impl TryFrom<f64> for Score {
    type Error = NoScore;

    fn try_from(value: f64) -> Result<Score, NoScore> {
        match (0.0..=1.0).contains(&value) {
            // No -0, which would be written as such.
            true => Ok(Score(value.abs())),
            false => Err(NoScore(value)),
        }
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> f64 {
        score.0
    }
}

/// As it is compared: `0.4`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.units() {
            0 => f.write_str("0"),
            Score::ONE => f.write_str("1"),
            units => f.write_str(format!("0.{units:018}").trim_end_matches('0')),
        }
    }
}

impl Score {
    /// Where a goal stands of which nothing was said.
    pub const ZERO: Score = Score(0.0);

    /// A score of 1 in [units](Score::units).
    pub const ONE: u64 = 10_u64.pow(18);

    /// The decimal that was written, in units of 10^-18, by which scores are compared everywhere: as
    /// floats 0.95 − 0.80 is less than 0.15, 0.75 − 0.60 is more, and rounded to fewer digits
    /// 0.9499999 would reach 0.95. Further digits do not count.
    pub fn units(self) -> u64 {
        // The shortest decimal that reads as this number is what people and models wrote.
        let text = self.0.to_string();
        let Some((_, fraction)) = text.split_once('.') else {
            return if self.0 < 1.0 { 0 } else { Score::ONE };
        };
        let digits = fraction.bytes().map(|digit| u64::from(digit - b'0'));
        let digits = digits.chain(std::iter::repeat(0)).take(18);
        digits.fold(0, |units, digit| units * 10 + digit)
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

#[cfg(test)]
mod score_tests {
    use super::*;

    #[test]
    fn only_numbers_from_0_to_1_are_scores() {
        for good in [0.0, -0.0, f64::MIN_POSITIVE, 0.5, 1.0] {
            let score = Score::try_from(good).unwrap();
            assert_eq!(f64::from(score), good);
            assert!(f64::from(score).is_sign_positive());
        }
        let just_above = f64::from_bits(1.0_f64.to_bits() + 1);
        for bad in [
            -f64::MIN_POSITIVE,
            just_above,
            60.0,
            1e308,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ] {
            assert!(Score::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_score_is_shown_as_it_is_compared() {
        let shown = |value| Score::try_from(value).unwrap().to_string();
        assert_eq!(
            [
                shown(0.4),
                shown(1.0),
                shown(0.0),
                shown(1e-300),
                shown(0.05),
                shown(0.949_999_9)
            ],
            ["0.4", "1", "0", "0", "0.05", "0.9499999"]
        );
    }

    #[test]
    fn decimals_differ_by_what_people_see() {
        let score = |value| Score::try_from(value).unwrap().units();
        let (high, low) = (0.95_f64, 0.80_f64);
        assert_ne!(high - low, 0.15);
        let leap = Score::ONE / 100 * 15;
        assert_eq!(score(0.95) - score(0.80), leap);
        assert_eq!(score(0.75) - score(0.60), leap);
        assert_eq!(score(1.0), Score::ONE);
        assert_eq!(score(0.1 + 0.2), 300_000_000_000_000_040);
    }

    /// Whatever decimal somebody writes, with as many digits as a float can tell apart, it is
    /// compared as that decimal.
    #[test]
    fn a_decimal_is_compared_as_it_was_written() {
        for digits in 1..=15 {
            let most = 10_u64.pow(digits);
            for part in [1, 2, 7, most / 3, most / 2 - 1, most / 100 * 95, most - 1] {
                let part = part.min(most - 1);
                let text = format!("0.{part:0width$}", width = digits as usize);
                let score = Score::try_from(text.parse::<f64>().unwrap()).unwrap();
                assert_eq!(score.units(), part * (Score::ONE / most), "{text}");
            }
        }
        let units = |value| Score::try_from(value).unwrap().units();
        assert_eq!((units(1e-18), units(9e-19), units(1e-300)), (1, 0, 0));
        let just_below = f64::from_bits(0.95_f64.to_bits() - 1);
        assert!(units(just_below) < Score::ONE / 100 * 95);
    }
}
