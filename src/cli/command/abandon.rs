//! `goal abandon`: ends the goal as abandoned.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::abandon;

/// End the goal as abandoned (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = abandon(&call, &args.reason)?;
    let text = say::done("Ended as abandoned:", &outcome);
    Reply::transacted(outcome, text)
}
