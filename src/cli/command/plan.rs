//! `goal plan`: decomposes the goal, or one of its tasks.

use std::fmt::Write;
use std::time::Duration;

use crate::cli::globals::{Globals, deadline};
use crate::cli::reply::{Done, Reply};
use crate::domain::task::events::{Decomposition, TaskSpec};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::{Asked, Planned, plan};
use crate::render::text::one_line;
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
        what: args.what.clone(),
        revise: args.reason.clone().filter(|_| args.revise),
        checkpoints: args.checkpoints,
        escalate: None,
        planner: Wanted {
            command: args.planner.clone(),
            timeout: args.timeout,
        },
    };
    let outcome = plan(&call, &asked)?;
    let text = text(&outcome);
    Reply::transacted(outcome, text)
}

pub(super) fn text(planned: &Planned) -> String {
    // The failure is printed as one.
    let Some(source) = &planned.source else {
        return String::new();
    };
    let goal = planned.goal_id.as_ref().map(ToString::to_string);
    let goal = format!("goal {}", goal.unwrap_or_default());
    let what = planned.task_id.as_ref();
    let what = what.map_or(goal.clone(), |task| {
        format!("task {} of {goal}", one_line(task))
    });
    let again = match planned.repeated {
        true => "Already recorded: ",
        false => "",
    };
    let joined = match planned.decomp {
        Some(Decomposition::Or) => "one of them will do",
        _ => "all of them are needed",
    };
    let mut text = format!("{again}Planned {what} by {}; {joined}:\n", one_line(source));
    print(&mut text, &planned.tasks, 1);
    text
}

fn print(text: &mut String, tasks: &[TaskSpec], depth: usize) {
    for task in tasks {
        let pred = task.pred.as_ref().map(|pred| pred.name.as_str());
        let pred = pred.filter(|name| *name != "execute");
        let pred = pred.map(|name| format!("  ({})", one_line(name)));
        let (indent, id, title) = (
            "  ".repeat(depth),
            one_line(&task.id),
            one_line(&task.title),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{indent}{id}  {title}{}", pred.unwrap_or_default());
        print(text, &task.tasks, depth + 1);
    }
}
