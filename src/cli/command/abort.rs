//! `goal abort`: gives the goal up.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::abort;

/// Give the goal up; ends an agent's turn
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = abort(&call, &args.reason)?;
    let text = say::done("Aborted", &outcome);
    Reply::transacted(outcome, text)
}
