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

use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::history::History;

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
