//! Escalations: which of them brought something, and when they are spent.
//!
//! | an escalation | is |
//! |---|---|
//! | that no evaluation followed yet | waiting; it counts as neither |
//! | after which the next score is above the score before it | productive |
//! | after which it is the same or below | unproductive |
//!
//! | escalations are | when |
//! |---|---|
//! | spent | unproductive ≥ what the difficulty allows, and one more where the runway was granted |
//!
//! Several without an evaluation between them are judged together, by the score before the first.
//!
//! Difficulty: how many unproductive escalations a goal may have, and when it turns out harder.
//!
//! | difficulty | unproductive escalations | with a leap it becomes |
//! |---|---|---|
//! | trivial | 1 | simple |
//! | simple | 2 | moderate |
//! | moderate, or none given | 3 | complex |
//! | complex | 5 | – |
//!
//! A leap is a latest score of at least 0.15 above the one before.

use serde::{Deserialize, Serialize};

use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::history::{History, Score};

/// What became of a goal's escalations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Escalations {
    pub productive: u64,
    pub unproductive: u64,
    waiting: Option<OpenEscalation>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct OpenEscalation {
    before: Score,
    count: u64,
}

impl Escalations {
    /// One began, with this score before it.
    pub fn begin(&mut self, before: Score) {
        let waiting = self
            .waiting
            .get_or_insert(OpenEscalation { before, count: 0 });
        waiting.count = waiting.count.saturating_add(1);
    }

    /// An evaluation judges those that wait.
    pub fn judge(&mut self, score: Score) {
        let Some(waiting) = self.waiting.take() else {
            return;
        };
        let count = match score.units() > waiting.before.units() {
            true => &mut self.productive,
            false => &mut self.unproductive,
        };
        *count = count.saturating_add(waiting.count);
    }

    /// How many no evaluation followed yet.
    pub fn waiting(&self) -> u64 {
        self.waiting.as_ref().map_or(0, |waiting| waiting.count)
    }

    /// Whether the goal has had all that its difficulty allows.
    pub fn are_spent(&self, tier: Difficulty, runway: bool) -> bool {
        self.unproductive >= allowed(tier) + u64::from(runway)
    }
}

/// The difficulty of a goal whose contract names none.
pub const DEFAULT: Difficulty = Difficulty::Moderate;

/// How many unproductive escalations spend a goal's escalations.
pub fn allowed(tier: Difficulty) -> u64 {
    match tier {
        Difficulty::Trivial => 1,
        Difficulty::Simple => 2,
        Difficulty::Moderate => 3,
        Difficulty::Complex => 5,
    }
}

/// What a goal whose escalations are spent turns out to be, if it leaps.
pub fn upgrade(tier: Difficulty, history: &History) -> Option<Difficulty> {
    let harder = match tier {
        Difficulty::Trivial => Difficulty::Simple,
        Difficulty::Simple => Difficulty::Moderate,
        Difficulty::Moderate => Difficulty::Complex,
        Difficulty::Complex => return None,
    };
    history.is_leaping().then_some(harder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(value: f64) -> Score {
        Score::try_from(value).unwrap()
    }

    #[test]
    fn an_escalation_is_productive_when_the_score_rose() {
        for (after, productive) in [
            (0.399_999, 0),
            (0.4, 0),
            (0.400_001, 1),
            (0.400_000_1, 1),
            (1.0, 1),
        ] {
            let mut escalations = Escalations::default();
            escalations.begin(score(0.4));
            assert_eq!(escalations.waiting(), 1);
            escalations.judge(score(after));
            assert_eq!(escalations.productive, productive, "{after}");
            assert_eq!(escalations.unproductive, 1 - productive, "{after}");
            assert_eq!(escalations.waiting(), 0);
            // Judged once.
            escalations.judge(score(0.1));
            assert_eq!(escalations.productive + escalations.unproductive, 1);
        }
    }

    #[test]
    fn several_at_once_are_judged_by_the_first() {
        let mut escalations = Escalations::default();
        escalations.begin(score(0.4));
        escalations.begin(score(0.9));
        escalations.judge(score(0.5));
        assert_eq!((escalations.productive, escalations.unproductive), (2, 0));
    }

    #[test]
    fn only_unproductive_ones_are_spent() {
        use Difficulty::{Complex, Moderate, Simple, Trivial};
        for (tier, number) in [(Trivial, 1), (Simple, 2), (Moderate, 3), (Complex, 5)] {
            for (unproductive, spent, with_runway) in [
                (number - 1, false, false),
                (number, true, false),
                (number + 1, true, true),
            ] {
                let escalations = Escalations {
                    productive: 100,
                    unproductive,
                    waiting: None,
                };
                assert_eq!(escalations.are_spent(tier, false), spent, "{tier:?}");
                assert_eq!(escalations.are_spent(tier, true), with_runway, "{tier:?}");
            }
        }
    }
}

#[cfg(test)]
mod difficulty_tests {
    use super::*;
    use crate::domain::progress::testing::history;

    #[test]
    fn every_tier_has_its_number_and_its_next() {
        use Difficulty::{Complex, Moderate, Simple, Trivial};
        for (tier, number, next) in [
            (Trivial, 1, Some(Simple)),
            (Simple, 2, Some(Moderate)),
            (Moderate, 3, Some(Complex)),
            (Complex, 5, None),
        ] {
            assert_eq!(allowed(tier), number);
            assert_eq!(upgrade(tier, &history(&[0.2, 0.35])), next);
            assert_eq!(upgrade(tier, &history(&[0.2, 0.349_999])), None);
            assert_eq!(upgrade(tier, &history(&[0.9])), None);
        }
    }
}
