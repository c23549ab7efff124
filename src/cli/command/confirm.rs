//! `goal confirm`: the user accepts what is proposed.

use std::io::{self, IsTerminal};

use dialoguer::Confirm;

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::print::complain;
use crate::cli::reply::{Done, Reply};
use crate::domain::event::draft::DraftMode;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::propose::{confirm, to_confirm};
use crate::render::drafts::{decide, in_full};

/// Accept a proposal: create and focus its goal, or change the contract (yours, not an agent's)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "At a terminal it shows the proposal and asks. Elsewhere you name the draft whose \
proposal you have read; where several were made for it, also its revision, with `--expect`. `goal \
drafts` shows each proposal with the command that confirms it."
)]
pub struct Args {
    /// The draft [default at a terminal: the only one with a proposal]; `--expect` is its revision
    /// then, which `goal drafts --json` prints
    draft: Option<String>,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let named = args.draft.is_some() && call.expect.is_some();
    let asks = call.workspace.environment.at_terminal() && io::stderr().is_terminal();
    let (call, draft) = match asks && !globals.json && !named {
        true => agreed(call, args.draft.as_deref())?,
        false => (call, args.draft.clone()),
    };
    let outcome = confirm(&call, draft.as_deref())?;
    let verb = match outcome.data.mode {
        _ if outcome.data.parent_goal_id.is_some() => "Handed on as",
        DraftMode::Tweak => "Changed the contract of",
        DraftMode::Regular | DraftMode::Sisyphus => "Created and focused",
    };
    let text = say::contracted(verb, &outcome);
    Reply::transacted(outcome, text)
}

/// Shows the proposal to the person at the terminal and asks. What they agree to is what they were
/// shown: the call names its revision.
fn agreed(call: Call, draft: Option<&str>) -> Result<(Call, Option<String>), Failure> {
    let (revision, draft) = to_confirm(&call, draft)?;
    complain(in_full(&draft).trim_end());
    if !says_yes("Confirm it?")? {
        return Err(Failure::new(
            "interrupted",
            "nothing was confirmed; the proposal waits",
            format!("decide with {}", decide(&draft.draft_id)),
        ));
    }
    Ok((call.expecting(revision), Some(draft.draft_id)))
}

/// Asks the person at the terminal. Who leaves the question has not agreed.
pub(super) fn says_yes(question: &str) -> io::Result<bool> {
    let answer = Confirm::new()
        .with_prompt(question)
        .default(false)
        .interact();
    match answer.map_err(io::Error::from) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        answer => answer,
    }
}
