//! Questions that the user answers, and the step that asks them.

use std::io;

use dialoguer::Input;

use super::{Call, Done, Failure, Globals, Nothing, Reply, inbox, say, text_or_stdin};
use crate::cli::person::{can_be_asked, can_choose, yes_or_no};
use crate::cli::print::complain;
use crate::cli::screen::fitted;
use crate::domain::actor::Actor;
use crate::domain::goal::state::Status;
use crate::domain::task::question::QuestionKind;
use crate::ops;
use crate::ops::questions::{GivenAnswer, OpenQuestion};
use crate::ops::step::StepOptions;
use crate::render::text::one_line;

/// Ask the user something; a run waits for the answer
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`goal questions` lists open questions. Only the user can answer them, with `goal \
answer`, at any terminal. The agent's next prompt has the answer. `goal task step` asks the questions \
that tasks have.

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

/// Withdraw a question or a proposal that waits for the user
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agent can withdraw only what it asked or proposed in its own session. If the \
user opened the draft, it stays open for another proposal.

Example:
  goal withdraw mr5cf6ch-akrg4u"
)]
pub struct Withdraw {
    /// The id of the question or the draft, as `goal questions` and `goal draft --list` print it
    id: String,
}

pub fn withdraw(args: &Withdraw, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::withdraw::withdraw(&call, &args.id)?;
    let id = one_line(&args.id);
    Reply::transacted(
        format!("{id} does not wait for the user any more.\n"),
        outcome,
    )
}

/// Answer a question
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The answer becomes evidence for the task that asked. If the question asks for \
approval, answer yes or no. A no blocks its task; the question is not asked again unless the task \
is reopened. A yes to the question whether to abandon the goal ends the goal. If only one question \
is open, it needs no id. At a terminal, without arguments, you choose a question and its answer.

Examples:
  goal answer mr5cf6ch-akrg4u 'next Friday'
  goal answer 'next Friday'
  goal answer mr5cf6ch-akrg4u --pick 2",
    override_usage = "goal answer [OPTIONS] [QUESTION] ANSWER
       goal answer [OPTIONS] [QUESTION] --pick <N>"
)]
pub struct Answer {
    /// The question: its id, a beginning or end of it, or words of the question or of its goal's
    /// title. May be left out if only one question is open
    #[arg(value_name = "QUESTION")]
    question: Option<String>,
    /// The answer; `-` reads it from stdin
    #[arg(value_name = "ANSWER", allow_hyphen_values = true)]
    value: Option<String>,
    /// Choose the suggested answer with this number
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pick: Option<usize>,
}

pub fn answer(args: &Answer, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let is_bare = args.question.is_none() && args.pick.is_none();
    if is_bare && can_choose(&call, globals) && call.caller.actor == Actor::User {
        return inbox::answer_one(call, globals);
    }
    let words = (args.question.as_deref(), args.value.as_deref());
    let outcome = match (words, args.pick) {
        ((None, _), Some(pick)) => ops::questions::answer(&call, None, GivenAnswer::Pick(pick)),
        ((Some(named), None), Some(pick)) => {
            ops::questions::answer(&call, Some(named), GivenAnswer::Pick(pick))
        }
        ((Some(text), None), None) => {
            ops::questions::answer(&call, None, GivenAnswer::Text(&text_or_stdin(text)?))
        }
        ((Some(named), Some(text)), None) => {
            let text = text_or_stdin(text)?;
            ops::questions::answer(&call, Some(named), GivenAnswer::Text(&text))
        }
        ((None, _), None) => Err(Failure::usage(
            "no answer is given",
            "`goal answer QUESTION VALUE` answers one; `goal inbox --questions` lists those that wait",
        )),
        _ => Err(Failure::usage(
            "the answer is given twice: as a text and with --pick",
            "leave one of them out",
        )),
    }?;
    let answered = say::done("Answered for", &outcome);
    let next = match outcome.status {
        Some(Status::Active) => {
            "A run of the goal continues by itself; without a run, `goal next` shows what to do \
             now."
        }
        Some(Status::Blocked) => {
            "What waited for the answer is blocked. `goal task reopen ID --reason WHY` asks again, \
             `goal task skip ID --reason WHY` leaves it out (`goal next` names the task); then `goal \
             resume` resumes the goal."
        }
        Some(status) if status.is_open() => "`goal resume` resumes the goal.",
        _ => "The goal is abandoned, as you answered; `goal set` creates another.",
    };
    Reply::transacted(format!("{answered}{next}\n"), outcome)
}

pub fn questions(_: &Nothing, call: Call, _: &Globals) -> Result<Done, Failure> {
    let open = ops::questions::questions(&call)?;
    let texts: Vec<String> = open.questions.iter().map(OpenQuestion::text).collect();
    match texts.is_empty() {
        true => Reply::read("No question waits for an answer.\n", open),
        false => Reply::read(fitted(&call, &texts.join("\n")), open),
    }
}

/// Perform the next task: run its tool, ask its question, or show it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Tools are defined by `[tools.NAME]` in the configuration. If a tool is missing \
or not trusted, the task is blocked; no other tool is run instead. A tool that ran and answered is \
run again only with `--again`. What is to be decomposed is planned by \
the planner, or by the procedure of `--procedure`; without a planner, a procedure that may apply is \
named and waits for that. At a \
terminal you are asked a question at once; elsewhere it waits for `goal answer`. The evaluator \
judges `predicateTrue` conditions, once for the same evidence.

Examples:
  goal task step
  goal task step --until-waits
  goal inbox --questions
  goal answer mr5cf6ch-akrg4u 'next Friday'"
)]
pub struct Step {
    /// Run the task's tool again, although it ran and answered
    #[arg(long)]
    again: bool,
    /// Decompose the goal or the task by this procedure
    #[arg(long, value_name = "NAME")]
    procedure: Option<String>,
    /// Perform steps until one waits for somebody
    #[arg(long)]
    until_waits: bool,
}

pub fn step(args: &Step, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let asked = StepOptions {
        again: args.again,
        procedure: args.procedure.clone(),
    };
    let person = can_be_asked(&call, globals) && call.caller.actor == Actor::User;
    let (said, stepped) = match args.until_waits {
        true => ops::step::until_waits(call.clone(), &asked)?,
        false => (Vec::new(), ops::step::step(&call, &asked)?),
    };
    let said = said.concat();
    if let (true, Some(question)) = (person, &stepped.question) {
        if !said.is_empty() {
            complain(said.trim_end());
        }
        let given = put(question)?;
        let id = Some(&*question.question_id);
        let answered = ops::questions::answer(&call, id, GivenAnswer::Text(&given))?;
        return say::did("Answered for", answered);
    }
    let recorded = !stepped.events.is_empty();
    // A failure says by itself that there is no plan.
    let text = match stepped.failure {
        None => format!("{said}{}", stepped.text()),
        Some(_) => said,
    };
    Reply::maybe_transacted(text, stepped, recorded)
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
            let given = Input::<String>::new().with_prompt(prompt).interact_text();
            given.map_err(io::Error::from)
        }
        QuestionKind::Confirm | QuestionKind::Approval => {
            yes_or_no(&prompt, None).map(|yes| if yes { "yes" } else { "no" }.to_owned())
        }
    };
    given.map_err(|error| {
        if error.kind() != io::ErrorKind::Interrupted {
            return error.into();
        }
        let hint = format!(
            "answer it with `goal answer {} VALUE`",
            question.question_id
        );
        let message = "the question was not answered; it stays open";
        Failure::new("interrupted", message, hint)
    })
}
