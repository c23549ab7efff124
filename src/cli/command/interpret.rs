//! `goal interpret`: what a message means for the goal.

use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interpret::interpret;

/// Ask the interpreter what a message means, for the goal or as the first word of one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The interpreter is an external command, `[interpreter]` in the configuration. It \
says what the message is. A new goal becomes a proposal, which is in force once you run `goal \
confirm`. An answer or a fact becomes evidence of the goal. A wish to give the goal up becomes a \
question that you answer. All of it is done with the rights of the caller: for an agent nothing is \
done that only you may do."
)]
pub struct Args {
    /// The message; `-` reads it from stdin
    message: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = interpret(&call, &text_or_stdin(&args.message)?)?;
    let text = outcome.text();
    Reply::transacted(outcome, text)
}
