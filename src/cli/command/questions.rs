//! Questions that the user answers.

use super::{Call, Done, Failure, Globals, Nothing, Reply, say, text_or_stdin};
use crate::domain::goal::state::Status;
use crate::ops;
use crate::ops::questions::OpenQuestion;

/// Ask the user something about the goal; a run waits for the answer
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`goal questions` lists what waits, `goal answer` answers: from anywhere, and the \
user alone. The agent's next prompt has the answer. What a task needs to know is asked by `goal step`.

Examples:
  goal ask 'Which of the two databases is the live one?' --suggest a --suggest b
  goal ask 'May I delete the old migrations?' --approval"
)]
pub struct Asking {
    #[command(flatten)]
    ask: ops::questions::Ask,
}

pub fn ask(args: &Asking, call: Call, _: &Globals) -> Result<Done, Failure> {
    let asked = ops::questions::Ask {
        question: text_or_stdin(&args.ask.question)?,
        ..args.ask.clone()
    };
    let outcome = ops::questions::ask(&call, &asked)?;
    let asked = say::done("Asked about", &outcome);
    let text = format!("{asked}The user answers with `goal answer`.\n");
    Reply::transacted(text, outcome)
}

/// Answer a question (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The answer becomes evidence for the task that asked. A question to be confirmed \
takes yes or no; a no blocks its task, and the same is not asked again unless the task is reopened; \
a yes to giving the goal up ends it."
)]
pub struct Answer {
    /// Its id or any unambiguous beginning or end of it: `goal questions` lists them
    question: String,
    /// What you answer; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub fn answer(args: &Answer, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::questions::answer(&call, &args.question, &text_or_stdin(&args.value)?)?;
    let answered = say::done("Answered for", &outcome);
    let next = match outcome.status {
        Some(Status::Active) => "`goal step` goes on.",
        Some(status) if status.is_open() => "`goal resume` takes the goal up again.",
        _ => "The goal is given up, as you said; `goal set` creates another.",
    };
    Reply::transacted(format!("{answered}{next}\n"), outcome)
}

pub fn questions(_: &Nothing, call: Call, _: &Globals) -> Result<Done, Failure> {
    let open = ops::questions::questions(&call)?;
    let texts: Vec<String> = open.questions.iter().map(OpenQuestion::text).collect();
    match texts.is_empty() {
        true => Reply::read("No question waits for an answer.\n", &open),
        false => Reply::read(texts.join("\n"), &open),
    }
}
