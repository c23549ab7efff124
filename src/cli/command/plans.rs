//! Plans: a goal or a task decomposed, and planned anew.

use std::time::Duration;

use super::{Call, Done, Failure, Globals, Reply, Wanted, deadline};
use crate::ops;
use crate::ops::plan::{Asked, Planned, What};
use crate::ops::transacted::Outcome;

/// What one call says about the planner.
#[derive(Debug, clap::Args)]
struct PlannerArgs {
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    planner: Option<String>,
    /// The planner's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline)]
    timeout: Option<Duration>,
}

impl PlannerArgs {
    fn wanted(&self) -> Wanted {
        Wanted {
            command: self.planner.clone(),
            timeout: self.timeout,
        }
    }
}

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
pub struct Plan {
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
    #[command(flatten)]
    planner: PlannerArgs,
}

pub fn plan(args: &Plan, call: Call, _: &Globals) -> Result<Done, Failure> {
    let asked = Asked {
        what: args.what.clone().map(What::Named),
        revise: args.reason.clone().filter(|_| args.revise),
        checkpoints: args.checkpoints,
        planner: args.planner.wanted(),
        ..Asked::default()
    };
    let outcome = ops::plan::plan(&call, &asked)?;
    Reply::transacted(outcome.text(), outcome)
}

/// Call for a new plan: record that, and ask the planner with what is known of the gap
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The planner gets the latest gap analysis and the tier `escalated`; what is \
complete stays, what is open is planned anew (see `goal plan`). The next evaluation tells whether it \
brought something; only those that did not are counted: one for a trivial goal, two for a simple, \
three for a moderate and five for a complex one. After that only you escalate.

Example:
  goal escalate --reason 'three attempts at the parser came to nothing'"
)]
pub struct Escalate {
    /// Why going on as before will not get there
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    planner: PlannerArgs,
}

pub fn escalate(args: &Escalate, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::escalate::escalate(&call, &args.reason, args.planner.wanted())?;
    Reply::transacted(escalated(&outcome), outcome)
}

fn escalated(planned: &Outcome<Planned>) -> String {
    let mut text = String::new();
    if let Some(escalation) = &planned.data.escalation {
        let tier = escalation.upgraded_to.map(|tier| tier.name());
        let tier = tier.map_or_else(String::new, |tier| format!("; it turned out {tier}"));
        let runway = match escalation.runway_granted {
            true => "; one more is granted",
            false => "",
        };
        let before = escalation.score_before;
        text = format!("Escalated at a score of {before}{tier}{runway}.\n");
    }
    text + &planned.text()
}
