//! The tools of an agent that has its goal planned and works through the tasks. Which planner is
//! asked is the user's choice, and so is every answer, so there is none for either.

use crate::api::tools::arguments::{Interpret, Nothing, PerformStep, PlanGoal, Withdraw};
use crate::api::tools::told::{ToolAnswer, maybe_transacted, read, transacted};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interpret::interpret;
use crate::ops::plan::{PlanOptions, What, plan};
use crate::ops::questions::{Ask, OpenQuestion, ask, questions};
use crate::ops::step::{StepOptions, step};
use crate::render::surface::Surface;

pub(super) fn plan_goal(call: &Call, asked: PlanGoal) -> Result<ToolAnswer, Failure> {
    let planned = plan(
        call,
        &PlanOptions {
            what: asked.task_id.map(What::Task),
            revise: asked.revise,
            checkpoints: asked.checkpoints.unwrap_or_default(),
            procedure: asked.procedure,
            ..PlanOptions::default()
        },
    )?;
    let text = match &planned.failure {
        Some(failure) => format!("{}. Next: {}.", failure.message, failure.hint),
        None => planned.text(),
    };
    let text = Surface::Tools.words(&text);
    transacted(planned, text)
}

pub(super) fn perform_step(call: &Call, asked: PerformStep) -> Result<ToolAnswer, Failure> {
    let asked = StepOptions {
        again: asked.again.unwrap_or_default(),
        ..StepOptions::default()
    };
    let stepped = step(call, &asked)?;
    let recorded = !stepped.events.is_empty();
    let mut text = Surface::Tools.words(&stepped.text());
    if stepped.question.is_some() {
        text.push_str("Put it to the user, and end the turn when nothing else is left to do.\n");
    }
    maybe_transacted(stepped, text, recorded)
}

pub(super) fn interpret_message(call: &Call, said: Interpret) -> Result<ToolAnswer, Failure> {
    let interpreted = interpret(call, &said.message)?;
    let recorded = !interpreted.events.is_empty();
    let text = Surface::Tools.words(&interpreted.text());
    maybe_transacted(interpreted, text, recorded)
}

pub(super) fn ask_user(call: &Call, asked: Ask) -> Result<ToolAnswer, Failure> {
    let outcome = ask(call, &asked)?;
    let text = "The question waits for the user, who alone answers it: put it to them, and let them \
                run `goal answer`. The answer stands in the next prompt.";
    transacted(outcome, text.to_owned())
}

pub(super) fn withdraw(call: &Call, asked: Withdraw) -> Result<ToolAnswer, Failure> {
    let outcome = crate::ops::withdraw::withdraw(call, &asked.id)?;
    transacted(
        outcome,
        "It does not wait for the user any more.".to_owned(),
    )
}

pub(super) fn list_questions(call: &Call, _: Nothing) -> Result<ToolAnswer, Failure> {
    let open = questions(call)?;
    let texts: Vec<String> = open.questions.iter().map(OpenQuestion::text).collect();
    let text = match texts.is_empty() {
        true => "No question waits for the user.".to_owned(),
        false => format!(
            "These wait for the user, who alone answers them: ask, and let them run the command.\n\
             \n{}",
            texts.join("\n")
        ),
    };
    read(open, text)
}
