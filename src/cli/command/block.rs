//! `goal block`: lets the goal rest behind a blocker.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::block;

/// Say that only the user can lift what blocks the goal; ends an agent's turn
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// What the user could do about it
    #[arg(long, value_name = "ACTION")]
    suggest: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = block(&call, &args.reason, args.suggest.as_deref())?;
    let text = say::done("Blocked", &outcome);
    Reply::transacted(outcome, text)
}
