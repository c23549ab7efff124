//! Histories for the tests of the rules.

use crate::domain::progress::history::{History, Score};

/// A history of these scores, oldest first.
pub fn history(scores: &[f64]) -> History {
    let mut history = History::default();
    for score in scores {
        history.push(Score::try_from(*score).expect("a score"));
    }
    history
}
