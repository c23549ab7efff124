//! `goal interpret`: what a message means for the goal.

use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interpret::{Interpreted, interpret};
use crate::render::drafts;
use crate::render::text::one_line;

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
    let text = text(&outcome);
    Reply::transacted(outcome, text)
}

fn text(interpreted: &Interpreted) -> String {
    let draft = interpreted.draft_id.as_deref().map(one_line);
    let question = interpreted.question_id.as_deref().map(one_line);
    let key = interpreted.evidence_key.as_deref().map(one_line);
    let done = match (interpreted.action.as_str(), draft, question, key) {
        (_, Some(draft), _, _) => format!("a new goal (draft {draft})"),
        ("add_evidence", _, Some(question), _) => format!("the answer to question {question}"),
        ("add_evidence", _, None, Some(key)) => format!("evidence `{key}`"),
        ("abandon_goal", _, Some(question), _) => {
            format!("to give the goal up: `goal answer {question} yes` would do it")
        }
        ("abandon_goal", ..) => "to give the goal up, which is being asked already".to_owned(),
        ("new_goal", ..) => "a new goal".to_owned(),
        _ => "nothing that changes the goal".to_owned(),
    };
    let again = match interpreted.repeated {
        true => "Already recorded: ",
        false => "",
    };
    let why = match one_line(&interpreted.reasoning) {
        why if why.is_empty() => why,
        why => format!("  {why}\n"),
    };
    format!("{again}Taken as {done}.\n{why}{}", waiting(interpreted))
}

/// The new goal in full, and what the user does about it.
fn waiting(interpreted: &Interpreted) -> String {
    let (Some(goal), Some(draft)) = (&interpreted.goal, &interpreted.draft_id) else {
        return String::new();
    };
    format!(
        "\n{}\n{}\nNothing is in force yet: it waits for the user, who decides with {}.\n",
        one_line(&goal.gloss),
        drafts::known(&goal.context),
        drafts::decide(draft)
    )
}
