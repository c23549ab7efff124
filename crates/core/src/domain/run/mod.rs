//! Runs: a goal worked by the runner, without a person.
//!
//! What the runner wants recorded of itself.

pub mod alike;
pub mod apply;
pub mod deadline;
pub mod due;
pub mod limited;
pub mod liveness;
pub mod remains;
pub mod state;
pub mod stop;

use crate::domain::event::{RunRefused, RunStarted, RunWaiting};
use crate::domain::run::state::{Cause, Run};

/// A command of the runner on the goal that it works.
#[derive(Debug, Clone, PartialEq)]
pub enum RunCommand {
    /// It takes the goal up, and focuses its session on it. A run that has no end on record is gone on
    /// with, where its runner is known to be dead.
    Start { started: RunStarted, over: Over },
    /// It waits for a program that cannot work now.
    Wait(RunWaiting),
    /// It does not take the goal up.
    Refuse(RunRefused),
    /// It lets go of the goal.
    Stop {
        run_id: String,
        cause: Cause,
        detail: Option<String>,
        /// What names the changes that it leaves without a commit, where it makes commits.
        uncommitted: Option<String>,
        /// The turn in which the goal ended or came to rest, where there is one.
        last: Option<LastTurn>,
    },
}

/// A turn in which the goal ended or came to rest, as when the agent itself completed it or the user paused it. No iteration validates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTurn {
    /// From 1, in its run.
    pub number: u64,
    /// The agent's last words.
    pub said: Option<String>,
}

/// Of which run that has no end on record a runner may say that it crashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// Of the run with this id: its runner was found dead ([`liveness`]), or the user says so. Of none
    /// where no run was open.
    Run(Option<String>),
    /// Of any: the goal's lease in the store is this runner's, so no other one has it.
    Any,
}

impl Over {
    /// Whether it may say so of this one.
    pub fn has(&self, run: &Run) -> bool {
        match self {
            Over::Run(id) => id.as_ref() == Some(&run.id),
            Over::Any => true,
        }
    }
}

#[cfg(test)]
pub(in crate::domain) mod testing;
