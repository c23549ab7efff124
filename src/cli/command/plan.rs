//! `goal plan`: decomposes the goal, or one of its tasks.

use std::time::Duration;

use crate::cli::globals::{Globals, deadline};
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::{Asked, What, plan};
use crate::roles::command::Wanted;

/// Decompose the goal or one of its tasks, by a procedure that applies or by the planner
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A procedure of the project or of yours comes first (`goal procedure list TEXT` \
shows which applies); else `[planner]` of the configuration is asked, an external command that reads \
JSON on stdin and answers with JSON (`goal schema planner-input`, `planner-answer`). An answer that \
does not fit is refused as a whole.

No plan is recorded as `plan_failed` and exits 74: the task is then blocked; a goal is blocked after \
three of them. A revision and checkpoints always ask the planner.

Examples:
  goal plan
  goal plan 2.1
  goal plan --checkpoints
  goal plan --revise --reason \"the host has no Python\""
)]
pub struct Args {
    /// A task of the goal, or a goal [default: the goal itself]
    #[arg(value_name = "GOAL|TASK")]
    what: Option<String>,
    /// Plan anew what is not complete; what is complete or skipped stays, with its evidence
    #[arg(long, requires = "reason")]
    revise: bool,
    /// Why it is planned anew
    #[arg(long, value_name = "TEXT", requires = "revise")]
    reason: Option<String>,
    /// Ask for ordered checkpoints with success criteria
    #[arg(long)]
    checkpoints: bool,
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    planner: Option<String>,
    /// The planner's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline)]
    timeout: Option<Duration>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let asked = Asked {
        by_step: None,
        what: args.what.clone().map(What::Named),
        revise: args.reason.clone().filter(|_| args.revise),
        checkpoints: args.checkpoints,
        escalate: None,
        planner: Wanted {
            command: args.planner.clone(),
            timeout: args.timeout,
        },
    };
    let outcome = plan(&call, &asked)?;
    let text = outcome.text();
    Reply::transacted(outcome, text)
}
