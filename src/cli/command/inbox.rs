//! `goal inbox`: everything that waits for the person; at a terminal one thing after the other.

pub(super) mod picker;

use std::time::Duration;

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::globals::seconds;
use crate::cli::person::can_choose;
use crate::cli::screen::columns;
use crate::domain::actor::Actor;
use crate::ops::failure::Exit;
use crate::ops::inbox::{InboxRequest, inbox};
use crate::render;
use crate::render::text::one_line;

/// List what needs you, oldest first
#[derive(Debug, Clone, Default, clap::Args)]
#[command(after_help = "\
Questions, proposals, blocked goals, runs that stopped, stuck goals, lines that you have to \
settle: each is listed once, with the reason and the command that settles it. At a terminal you \
choose an item and what to do about it; the command is shown before it runs. `--list` only prints \
the list, and so does output that goes to a file or a pipe.

Examples:
  goal inbox --list
  goal inbox --owner claude-1 --questions
  goal inbox --exit-status --count
  goal inbox --wait 3600 --exit-status || notify-send 'goal: something waits'")]
pub struct Args {
    /// Only goals of this owner
    #[arg(long, value_name = "OWNER")]
    pub owner: Option<String>,
    /// Only questions
    #[arg(long)]
    pub questions: bool,
    /// Print only the number of items
    #[arg(long)]
    pub count: bool,
    /// Print the list at a terminal too
    #[arg(long)]
    pub list: bool,
    /// Wait until something needs you, for at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(allow_negative_numbers = true)]
    pub wait: Option<Duration>,
    /// Exit 7 if something needs you
    #[arg(long)]
    pub exit_status: bool,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let asked = InboxRequest {
        owner: args.owner.clone(),
        questions: args.questions,
        wait: args.wait,
    };
    let found = inbox(&call, &asked)?;
    let is_listed = args.list || args.count || args.exit_status;
    let person = can_choose(&call, globals) && call.caller.actor == Actor::User;
    if person && !is_listed && found.waiting > 0 {
        return picker::one_after_the_other(call, globals, &asked, found);
    }
    let waits = args.exit_status && found.waiting > 0;
    let failure = waits.then(|| {
        let counted = render::inbox::counted(found.waiting);
        Failure::new("waiting", counted, "`goal inbox --list` lists it")
    });
    // With both options a script reads only the exit code.
    let only_code = globals.quiet && args.exit_status;
    if only_code && !(args.count || args.list || globals.json) {
        return Ok(Done::Printed(failure.map_or(Exit::Done, |it| it.exit)));
    }
    let text = match (args.count, globals.json) {
        (_, true) => String::new(),
        (true, _) => format!("{}\n", found.waiting),
        (false, _) => match &args.owner {
            Some(owner) if found.needs.is_empty() => nothing_of(owner),
            _ => found.words(&call, columns(&call)),
        },
    };
    Reply::judged(text, found, failure)
}

/// Lets the person choose a question and its answer.
///
/// # Errors
/// The terminal or the project cannot be read.
pub fn answer_one(call: Call, globals: &Globals) -> Result<Done, Failure> {
    let asked = InboxRequest {
        questions: true,
        ..InboxRequest::default()
    };
    let found = inbox(&call, &asked)?;
    if found.waiting == 0 {
        return Reply::read("No question waits for an answer.\n", ());
    }
    picker::one(&call, globals, &found)?;
    Ok(Done::Printed(Exit::Done))
}

/// Nobody may be called so, which "nothing needs you" would hide.
fn nothing_of(owner: &str) -> String {
    let owner = one_line(owner);
    format!("Nothing about goals of {owner} needs you. `goal list` shows who the owners are.\n")
}
