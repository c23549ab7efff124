//! The tools of an agent that has its goal planned and works through the tasks. Which planner is
//! asked is the user's choice, and so is every answer, so there is none for either.

use crate::api::tools::arguments::{Nothing, PlanGoal};
use crate::api::tools::told::{Answer, read, transacted};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::{Asked, What, plan};
use crate::ops::questions::{OpenQuestion, questions};
use crate::ops::step::step;
use crate::ops::transacted::Record;

pub(super) fn plan_goal(call: &Call, asked: PlanGoal) -> Result<Answer, Failure> {
    let planned = plan(
        call,
        &Asked {
            what: asked.task_id.map(What::Task),
            revise: asked.revise,
            checkpoints: asked.checkpoints.unwrap_or_default(),
            ..Asked::default()
        },
    )?;
    let text = match planned.failure() {
        Some(failure) => format!("{}. Next: {}.", failure.message, failure.hint),
        None => planned.text(),
    };
    transacted(planned, text)
}

pub(super) fn perform_step(call: &Call, _: Nothing) -> Result<Answer, Failure> {
    let stepped = step(call)?;
    let text = stepped.text();
    match stepped.events.is_empty() {
        true => read(stepped, text),
        false => transacted(stepped, text),
    }
}

pub(super) fn list_questions(call: &Call, _: Nothing) -> Result<Answer, Failure> {
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
