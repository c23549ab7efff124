//! `goal list`: which goals there are.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::domain::goal::state::Status;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::list::{Asked, list};
use crate::render::list::{Listing, list as render};
use crate::transaction::place::is_missing;

/// List the open goals in order of creation
#[derive(Debug, clap::Args)]
#[command(after_help = "Reading changes nothing, not even a lock file.

Example:
  goal list --status paused --status blocked")]
pub struct Args {
    /// The ended ones too
    #[arg(long)]
    all: bool,
    /// Only goals that are active, paused, blocked, complete, aborted, failed or abandoned; may
    /// be repeated
    #[arg(long, value_name = "S", value_parser = status)]
    status: Vec<Status>,
}

fn status(word: &str) -> Result<Status, String> {
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

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let asked = Asked {
        all: args.all,
        statuses: args.status.clone(),
        brief: !globals.json,
    };
    let listed = list(&call, &asked)?;
    // A project can have thousands of goals: only what is printed is made.
    if globals.json {
        return Reply::read(&listed, "");
    }
    let text = render(&Listing {
        rows: &listed.goals,
        counts: &listed.counts,
        filtered: !args.status.is_empty(),
        onlooker: call.onlooker(),
        lost: listed.counts.is_empty() && is_missing(&call.workspace),
    });
    // The process ends with this: to give the rows back one by one would only take time.
    std::mem::forget(listed);
    Reply::read(&(), text)
}
