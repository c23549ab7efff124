//! `goal confirm`: the user accepts what is proposed.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::domain::goal::events::DraftMode;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::propose::confirm;

/// Accept a proposal: create and focus its goal, or change the contract (yours, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The draft [default: the only one with a proposal]; `--expect` is its revision then, which
    /// `goal drafts --json` prints
    draft: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = confirm(&call, args.draft.as_deref())?;
    let verb = match outcome.mode {
        _ if outcome.parent_goal_id.is_some() => "Handed on as",
        DraftMode::Tweak => "Changed the contract of",
        DraftMode::Regular | DraftMode::Sisyphus => "Created and focused",
    };
    let text = say::contracted(verb, &outcome);
    Reply::transacted(outcome, text)
}
