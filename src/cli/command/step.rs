//! `goal step`: performs the next task.

use std::io;

use dialoguer::{Confirm, Input};

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::person::{can_be_asked, no_answer};
use crate::domain::actor::Actor;
use crate::domain::event::question::QuestionKind;
use crate::ops::questions::{OpenQuestion, answer};
use crate::ops::step::step;
use crate::render::text::one_line;

/// Perform the next task: run its tool, ask its question, show what it shows, or hand it over
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A tool comes from `[tools.NAME]` in the configuration; one that is missing or \
not trusted blocks the task, and nothing takes its place. A tool that ran and answered is run again \
only with `--again`. What is still to be decomposed is planned by a procedure that applies, or by \
the planner. At a terminal a question is put to you \
right away; elsewhere it waits for `goal answer`. What a task's `predicateTrue` conditions say is \
asked of the evaluator, once for the same evidence.

Examples:
  goal step
  goal questions
  goal answer mr5cf6ch-akrg4u 'next Friday'"
)]
pub struct Args {
    /// Run the task's tool once more, though it ran and answered
    #[arg(long)]
    again: bool,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let stepped = step(&call, args.again)?;
    let person = can_be_asked(&call, globals) && call.caller.actor == Actor::User;
    if let (true, Some(question)) = (person, &stepped.question) {
        let given = put(question)?;
        let answered = answer(&call, &question.question_id, &given)?;
        return say::did("Answered for", answered);
    }
    let recorded = !stepped.events.is_empty();
    Reply::maybe_transacted(stepped.text(), stepped, recorded)
}

/// Puts the question to the person at the terminal. It stays open when they leave.
fn put(question: &OpenQuestion) -> Result<String, Failure> {
    let prompt = one_line(&question.question);
    let given = match question.kind {
        QuestionKind::Info => {
            let suggested: Vec<String> =
                question.suggestions.iter().map(|it| one_line(it)).collect();
            let prompt = match suggested.is_empty() {
                true => prompt,
                false => format!("{prompt} ({})", suggested.join(", ")),
            };
            Input::<String>::new().with_prompt(prompt).interact_text()
        }
        QuestionKind::Confirm | QuestionKind::Approval => {
            let chosen = Confirm::new().with_prompt(prompt).interact();
            chosen.map(|yes| if yes { "yes" } else { "no" }.to_owned())
        }
    };
    given.map_err(|error| {
        let error = io::Error::from(error);
        if error.kind() != io::ErrorKind::Interrupted {
            return error.into();
        }
        let hint = format!(
            "answer it with `goal answer {} VALUE`",
            question.question_id
        );
        no_answer("the question was not answered; it stays open", hint)
    })
}
