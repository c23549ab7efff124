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
    after_help = "The interpreter is an external command: `[interpreter]` in the configuration. A \
new goal becomes a proposal that waits for `goal confirm`, with what the message says of it; what \
else a message says becomes evidence of the goal, or your answer to an open question; giving the goal up becomes a question to you. Everything is done \
as the caller, so an agent gets nothing done that is yours."
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
