//! `goal unfocus`: works on nothing, explicitly.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::unfocus;

/// Work on no goal (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "unfocused by the user")]
    reason: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = unfocus(&call, &args.reason)?;
    let text = say::done("Unfocused: no goal is worked on now", &outcome);
    Reply::transacted(outcome, text)
}
