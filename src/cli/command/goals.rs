//! How goals stand: one in full, and the project.

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::screen::{fitted, known_columns};
use crate::ops;
use crate::render;
use crate::render::clock::Clock;

/// Show everything about a goal
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal show
  goal show mr5cf6ch")]
pub struct Show {
    /// Its id, a beginning or end of it, or words of its title, also of an ended goal [default: --goal,
    /// else the focused goal, also once it has ended]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
    /// Print only the path of the goal's document
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
        return Reply::read(format!("{path}\n"), shown);
    }
    let environment = &call.workspace.environment;
    let (now, zone) = (environment.now_millis(), environment.zone());
    let clock = Clock::of(now, zone.as_ref());
    let text = render::show::show(&shown.goal, clock, known_columns(&call));
    Reply::read(text, shown)
}

/// Show the focused goal and what needs you
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal status
  goal status --line")]
pub struct Status {
    /// Print one line of at most 80 columns, for a status line; nothing if there is no goal
    #[arg(long)]
    line: bool,
}

pub fn status(args: &Status, call: Call, _: &Globals) -> Result<Done, Failure> {
    let standing = ops::status::status(&call)?;
    let text = standing.words(&call, args.line);
    let text = if args.line {
        text
    } else {
        fitted(&call, &text)
    };
    Reply::read(text, standing)
}
