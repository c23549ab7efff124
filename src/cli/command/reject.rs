//! `goal reject`: the user declines what is proposed.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::propose::reject;

/// Decline a proposal; a draft that you opened stays open for another (yours, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The draft [default: the only one with a proposal]; `--expect` is its revision then, which
    /// `goal drafts --json` prints
    draft: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let (outcome, is_open) = reject(&call, args.draft.as_deref())?;
    let id = say::draft(outcome.data.draft_id.as_deref());
    let next = match is_open {
        true => format!(
            "Next: the draft stays open for another proposal; `goal draft --cancel {id}` closes it.\n"
        ),
        false => String::new(),
    };
    let text = format!("Rejected what was proposed for draft {id}.\n{next}");
    Reply::transacted(outcome, text)
}
