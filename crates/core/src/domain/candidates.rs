//! What a caller could have meant, as messages list it: the first ten with what they are about, and
//! how many more there are.

use std::fmt;

use crate::domain::goal::draft::Draft;
use crate::domain::id::GoalId;
use crate::domain::state::State;
use crate::domain::titles::line;

/// The most that a listing in a message shows.
pub const MOST_SHOWN: usize = 10;

/// Goals or drafts that could have been meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Ids with what they are about.
    first: Vec<(String, String)>,
    total: usize,
}

impl Candidates {
    /// These goals. Only those that are shown are looked at.
    pub fn goals(state: &State, ids: &[GoalId]) -> Candidates {
        let about = |id: &GoalId| Some(state.goals.get(id)?.contract.heading());
        let all = ids.iter();
        Candidates::of(all.map(|id| (id.as_str(), about(id).unwrap_or_default())))
    }

    /// These drafts.
    pub fn drafts(drafts: &[&Draft]) -> Candidates {
        let all = drafts.iter();
        Candidates::of(all.map(|draft| (draft.draft_id.as_str(), draft.about())))
    }

    /// Other things, with their ids and what they are about.
    pub fn of<'a>(all: impl ExactSizeIterator<Item = (&'a str, &'a str)>) -> Candidates {
        let total = all.len();
        let first = all.take(MOST_SHOWN);
        Candidates {
            first: first
                .map(|(id, about)| (id.to_owned(), line(about)))
                .collect(),
            total,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.total
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (id, about)) in self.first.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            match about.as_str() {
                "" => write!(f, "{comma}{id}")?,
                about => write!(f, "{comma}{id} ({about})")?,
            }
        }
        match self.total - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_are_shown_and_the_others_counted() {
        let mut state = State::default();
        let ids: Vec<GoalId> = (0..12).map(|n| format!("g{n}").parse().unwrap()).collect();
        for id in &ids {
            state.goals.amend(id, "", |goal, _| {
                goal.contract.objective = "water the \t beans ".repeat(4);
            });
        }
        let about = "water the beans water the beans water the beans …";
        let two = Candidates::goals(&state, &ids[..2]);
        assert_eq!(two.to_string(), format!("g0 ({about}), g1 ({about})"));
        let all = Candidates::goals(&state, &ids);
        assert_eq!(all.len(), 12);
        assert!(
            all.to_string()
                .ends_with(&format!("g9 ({about}) and 2 more"))
        );
    }
}
