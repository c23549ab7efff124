//! `goal pause`: lets the goal rest.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{Pause, pause};

/// Let the goal rest; ends an agent's turn
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pause: Pause,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = pause(&call, &args.pause)?;
    let text = say::done("Paused", &outcome);
    Reply::transacted(outcome, text)
}
