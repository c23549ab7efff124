//! `goal block`: lets the goal rest behind a blocker.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{Pause, pause};

/// Say that only the user can lift what blocks the goal; ends an agent's turn
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pause: Pause,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let blocked = Pause {
        blocked: Some(true),
        ..args.pause.clone()
    };
    let outcome = pause(&call, &blocked)?;
    let text = say::done("Blocked", &outcome);
    Reply::transacted(outcome, text)
}
