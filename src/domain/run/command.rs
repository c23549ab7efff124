//! What the runner wants recorded of itself.

use crate::domain::run::state::RunUntil;
use crate::domain::run::stop::Cause;

/// A command of the runner on the goal that it works.
#[derive(Debug, Clone, PartialEq)]
pub enum RunCommand {
    /// It takes the goal up, and focuses its session on it. A run that was never stopped belonged
    /// to a runner that died, since a living one holds the goal's lease: it is gone on with.
    Start(Starting),
    /// It lets go of the goal.
    Stop {
        run_id: String,
        cause: Cause,
        detail: Option<String>,
    },
}

/// A run that is to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Starting {
    pub run_id: String,
    pub until: RunUntil,
    /// What the ledger calls the agent.
    pub agent: String,
    pub max_iterations: Option<u64>,
}
