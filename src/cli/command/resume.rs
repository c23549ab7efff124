//! `goal resume`: lets work go on.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::resume;

/// Go on with a paused or blocked goal (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "resumed by the user")]
    reason: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = resume(&call, &args.reason)?;
    let text = say::done("Resumed", &outcome);
    Reply::transacted(outcome, text)
}
