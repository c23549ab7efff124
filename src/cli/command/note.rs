//! `goal note`: remembers something.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lifecycle::note;

/// Remember something about the goal
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is worth remembering; `-` reads it from stdin
    text: String,
    /// What to do next
    #[arg(long, value_name = "TEXT")]
    next: Option<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = note(&call, &text_or_stdin(&args.text)?, args.next.as_deref())?;
    let text = say::done("Noted for", &outcome);
    Reply::transacted(outcome, text)
}
