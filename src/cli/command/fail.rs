//! `goal fail`: ends the goal as failed.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::fail;

/// End the goal as failed (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = fail(&call, &args.reason)?;
    let text = say::done("Ended as failed:", &outcome);
    Reply::transacted(outcome, text)
}
