//! `goal ask`: asks the user something about a goal.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::domain::event::question::QuestionKind;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::ask;

/// Ask the user something about the goal; a run waits for the answer
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`goal questions` lists what waits, `goal answer` answers: from anywhere, and the \
user alone. The agent's next prompt has the answer. What a task needs to know is asked by `goal step`.

Examples:
  goal ask 'Which of the two databases is the live one?' --suggest a --suggest b
  goal ask 'May I delete the old migrations?' --approval"
)]
pub struct Args {
    /// The question; `-` reads it from stdin
    question: String,
    /// It takes a yes or a no
    #[arg(long)]
    approval: bool,
    /// An answer that would do; may be repeated
    #[arg(long, value_name = "TEXT", conflicts_with = "approval")]
    suggest: Vec<String>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let kind = match args.approval {
        true => QuestionKind::Approval,
        false => QuestionKind::Info,
    };
    let question = text_or_stdin(&args.question)?;
    let outcome = ask(&call, &question, kind, &args.suggest)?;
    let asked = say::done("Asked about", &outcome);
    Reply::transacted(
        outcome,
        format!("{asked}The user answers with `goal answer`.\n"),
    )
}
