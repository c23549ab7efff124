//! Runs: a goal worked by the runner, without a person.
//!
//! What the runner wants recorded of itself.

pub mod alike;
pub mod apply;
pub mod due;
pub mod limited;
pub mod state;
pub mod stop;

use crate::domain::event::{RunStarted, RunWaiting};
use crate::domain::run::state::Cause;

/// A command of the runner on the goal that it works.
#[derive(Debug, Clone, PartialEq)]
pub enum RunCommand {
    /// It takes the goal up, and focuses its session on it. A run that was never stopped belonged
    /// to a runner that died, since a living one holds the goal's lease: it is gone on with.
    Start(RunStarted),
    /// It waits for a program that cannot work now.
    Wait(RunWaiting),
    /// It lets go of the goal.
    Stop {
        run_id: String,
        cause: Cause,
        detail: Option<String>,
        /// What names the changes that it leaves without a commit, where it makes commits.
        uncommitted: Option<String>,
    },
}

#[cfg(test)]
pub(in crate::domain) mod testing;
