//! Which goals there are and how they stand.

use super::{Call, Done, Failure, Globals, Nothing, Reply};
use crate::domain::goal::state::Status;
use crate::ops;
use crate::ops::list::Asked;
use crate::render;
use crate::render::list::Listing;
use crate::render::status::StatusInput;
use crate::transaction::place::is_missing;

/// List the open goals: by priority, then in order of creation
#[derive(Debug, clap::Args)]
#[command(after_help = "Reading changes nothing, not even a lock file.

Example:
  goal list --status paused --status blocked")]
pub struct List {
    /// The ended ones too
    #[arg(long)]
    all: bool,
    /// Only goals that are active, paused, blocked, complete, aborted, failed or abandoned; may
    /// be repeated
    #[arg(long, value_name = "S", value_parser = a_status)]
    status: Vec<Status>,
}

fn a_status(word: &str) -> Result<Status, String> {
    if let Some(status) = Status::ALL.into_iter().find(|it| it.name() == word) {
        return Ok(status);
    }
    // The words of the tools that goals come from.
    let meant = match word {
        "achieved" | "completed" | "done" => Some(Status::Complete),
        "cancelled" | "canceled" | "cleared" => Some(Status::Aborted),
        "open" => {
            let message = "open are active, paused and blocked goals, which are listed without it";
            return Err(message.into());
        }
        "running" => Some(Status::Active),
        _ => None,
    };
    let names: Vec<&str> = Status::ALL.into_iter().map(Status::name).collect();
    Err(match meant {
        Some(status) => format!("the word here is `{}`", status.name()),
        None => format!("expected one of {}", names.join(", ")),
    })
}

pub fn list(args: &List, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let asked = Asked {
        all: args.all,
        statuses: args.status.clone(),
        brief: !globals.json,
    };
    let listed = ops::list::list(&call, &asked)?;
    // A project can have thousands of goals: only what is printed is made.
    if globals.json {
        return Reply::read("", &listed);
    }
    let text = render::list::list(&Listing {
        rows: &listed.goals,
        counts: &listed.counts,
        filtered: !args.status.is_empty(),
        grouped: call.workspace.environment.terminals.stdout,
        onlooker: call.onlooker(),
        lost: listed.counts.is_empty() && is_missing(&call.workspace),
    });
    // The process ends with this: to give the rows back one by one would only take time.
    std::mem::forget(listed);
    Reply::read(text, &())
}

/// Show everything about a goal
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal show
  goal show mr5cf6ch")]
pub struct Show {
    /// Its id or any unambiguous beginning or end of it, also of an ended goal [default: --goal,
    /// else the focused goal]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
    /// Print only where the goal's document is
    #[arg(long)]
    path: bool,
}

pub fn show(args: &Show, call: Call, _: &Globals) -> Result<Done, Failure> {
    let shown = ops::show::show(&call, args.named.as_deref())?;
    if args.path {
        let document = shown.goal.document.as_deref();
        let document = document.ok_or_else(|| {
            let message = format!("goal {} has no document", shown.goal.goal_id);
            Failure::new("no_document", message, "`goal repair` renders it")
        })?;
        let path = call.workspace.root.path.join(document);
        return Reply::read(format!("{path}\n"), &shown);
    }
    let now = call.workspace.environment.now_millis();
    Reply::read(render::show::show(&shown.goal, now), &shown)
}

pub fn status(_: &Nothing, call: Call, _: &Globals) -> Result<Done, Failure> {
    let standing = ops::status::status(&call)?;
    let text = render::status::status(&StatusInput {
        root: call.workspace.root.path.as_str(),
        goal: standing.goal.as_ref(),
        counts: &standing.counts,
        drafts: &standing.drafts,
        waiting: standing.waiting,
        standings: &standing.standings,
        findings: &standing.findings,
        remotes: &standing.remotes,
        onlooker: call.onlooker(),
        lost: standing.counts.is_empty() && is_missing(&call.workspace),
    });
    Reply::read(text, &standing)
}
