//! How one goal stands, in a word. The first row that fits decides:
//!
//! | a goal | stands as |
//! |---|---|
//! | of which acts do not go together | `contested` |
//! | that has ended | `ended` |
//! | with a question that has no answer, or a verdict to be signed | `waiting` |
//! | that is blocked | `blocked` |
//! | that is paused | `resting` |
//! | whose audit runs | `auditing` |
//! | whose lease somebody holds | `live` |
//! | with so many objections in a row, or that is not continued any more, or whose audit was interrupted | `stuck` |
//! | that somebody worked on lately | `live` |
//! | else | `quiet` |

use crate::domain::attention::Facts;
use crate::domain::attention::of_goal::is_stuck;
use crate::domain::goal::row::Row;
use crate::domain::goal::state::Status;
use crate::domain::time::is_within;
use crate::domain::words::words;

words! {
    /// How a goal stands, for a person.
    // In the order in which listings show them.
    pub enum Standing listed {
        /// It waits for the person's answer.
        Waiting = "waiting",
        /// The person has to choose what holds.
        Contested = "contested",
        /// Something outside has to change first.
        Blocked = "blocked",
        /// Its audit runs.
        Auditing = "auditing",
        /// Somebody works on it.
        Live = "live",
        /// It gets no further.
        Stuck = "stuck",
        /// It is active, and nobody has worked on it for a while.
        Quiet = "quiet",
        /// It is paused.
        Resting = "resting",
        /// It is over.
        Ended = "ended",
    }
}

/// How the goal of this row stands.
pub fn standing(row: &Row, facts: &Facts) -> Standing {
    let asked = row.open.as_ref().is_some_and(|it| !it.questions.is_empty());
    let waits = asked || facts.unsigned.contains(&row.id);
    let quiet_after = facts.thresholds.quiet_after;
    match row.status {
        _ if row.contested.is_some() => Standing::Contested,
        status if !status.is_open() => Standing::Ended,
        _ if waits => Standing::Waiting,
        Status::Blocked => Standing::Blocked,
        Status::Paused => Standing::Resting,
        _ if facts.auditing.contains(&row.id) => Standing::Auditing,
        _ if facts.is_leased(&row.id) => Standing::Live,
        _ if is_stuck(row, facts) => Standing::Stuck,
        _ if facts.interrupted.contains(&row.id) => Standing::Stuck,
        _ if is_within(&row.updated_at, facts.now, quiet_after) => Standing::Live,
        _ => Standing::Quiet,
    }
}
