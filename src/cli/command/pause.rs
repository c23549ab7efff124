//! `goal pause`: lets the goal rest.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::pause;

/// Let the goal rest; ends an agent's turn
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
    let outcome = pause(&call, &args.reason, args.suggest.as_deref())?;
    let text = say::done("Paused", &outcome);
    Reply::transacted(outcome, text)
}
