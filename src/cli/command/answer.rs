//! `goal answer`: answers a question.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::domain::goal::state::Status;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::answer;

/// Answer a question (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The answer becomes evidence for the task that asked. A question to be confirmed \
takes yes or no; a no blocks its task, and the same is not asked again unless the task is reopened; \
a yes to giving the goal up ends it."
)]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it: `goal questions` lists them
    question: String,
    /// What you answer; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = answer(&call, &args.question, &text_or_stdin(&args.value)?)?;
    let answered = say::done("Answered for", &outcome);
    let next = match outcome.status {
        Some(Status::Active) => "`goal step` goes on.",
        Some(status) if status.is_open() => "`goal resume` takes the goal up again.",
        _ => "The goal is given up, as you said; `goal set` creates another.",
    };
    let text = format!("{answered}{next}\n");
    Reply::transacted(outcome, text)
}
