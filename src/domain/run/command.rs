//! What the runner wants recorded of itself.

use crate::domain::event::RunStarted;
use crate::domain::run::cause::Cause;
use crate::domain::run::state::WaitsFor;

/// A command of the runner on the goal that it works.
#[derive(Debug, Clone, PartialEq)]
pub enum RunCommand {
    /// It takes the goal up, and focuses its session on it. A run that was never stopped belonged
    /// to a runner that died, since a living one holds the goal's lease: it is gone on with.
    Start(RunStarted),
    /// It waits for a program that cannot work now.
    Wait {
        run_id: String,
        waits_for: WaitsFor,
        /// How long, if nothing else happens.
        seconds: u64,
        /// What the program said.
        detail: Option<String>,
    },
    /// It lets go of the goal.
    Stop {
        run_id: String,
        cause: Cause,
        detail: Option<String>,
        /// What names the changes that it leaves without a commit, where it makes commits.
        uncommitted: Option<String>,
    },
}
