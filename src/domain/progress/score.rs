//! Scores: how far a goal is, from 0 to 1, and how two of them are compared.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number from 0 to 1; nothing else can be made, nor read from a ledger: there a number beyond
/// them makes its event malformed. It is not clamped, or another program's 60 of 100
/// would count as done.
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

/// As it is compared: `0.4`, and no more than six decimals.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.millionths()) / 1e6)
    }
}

impl Score {
    /// Where a goal stands of which nothing was said.
    pub const ZERO: Score = Score(0.0);

    /// In whole millionths, by which scores are compared everywhere: people and models write
    /// decimals, and as floats 0.95 − 0.80 is less than 0.15, 0.75 − 0.60 is more.
    pub fn millionths(self) -> u32 {
        // From 0 to 1 it always fits.
        (self.0 * 1e6).round() as u32
    }
}

#[cfg(test)]
mod tests {
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
            [shown(0.4), shown(1.0), shown(1e-300), shown(0.123_456_7)],
            ["0.4", "1", "0", "0.123457"]
        );
    }

    #[test]
    fn decimals_differ_by_what_people_see() {
        let score = |value| Score::try_from(value).unwrap().millionths();
        let (high, low) = (0.95_f64, 0.80_f64);
        assert_ne!(high - low, 0.15);
        assert_eq!(score(0.95) - score(0.80), 150_000);
        assert_eq!(score(0.75) - score(0.60), 150_000);
        assert_eq!(score(1.0), 1_000_000);
    }
}
