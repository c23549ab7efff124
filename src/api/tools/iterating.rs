//! The tools of an agent that goes round until checks pass.

use crate::api::tools::arguments::IterationValidate;
use crate::api::tools::told::{Answer, maybe_transacted};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::iterate::{self, Complete, Iterated, IterationStatus, Next, Start};

pub(super) fn start(call: &Call, asked: Start) -> Result<Answer, Failure> {
    told(
        iterate::start(call, &asked)?,
        "Work, then call iteration_validate.",
    )
}

pub(super) fn validate(call: &Call, asked: IterationValidate) -> Result<Answer, Failure> {
    let output = asked.output.as_deref().map(str::as_bytes);
    let outcome = iterate::validate(call, asked.iteration_id.as_deref(), output, &|_| {})?;
    let then = match (outcome.status, outcome.should_continue) {
        (Some(IterationStatus::Active), Some(true)) => {
            "Find out why, then begin the next iteration with iteration_next, saying what was \
             learned."
        }
        (Some(IterationStatus::Active), _) => {
            "End it with iteration_complete (outcome success); completing the task or the goal is \
             another call."
        }
        _ => "It is over. Tell the user what is in the way.",
    };
    told(outcome, then)
}

pub(super) fn next(call: &Call, asked: Next) -> Result<Answer, Failure> {
    told(
        iterate::next(call, &asked)?,
        "Work, then call iteration_validate.",
    )
}

pub(super) fn complete(call: &Call, asked: Complete) -> Result<Answer, Failure> {
    let outcome = iterate::complete(call, &asked)?;
    let then = match outcome.status {
        Some(IterationStatus::Success) => {
            "Complete its task with update_goal_task, or ask for the goal's completion with \
             update_goal."
        }
        _ => "Tell the user what is in the way.",
    };
    told(outcome, then)
}

fn told(outcome: Iterated, then: &str) -> Result<Answer, Failure> {
    let text = format!("{}{then}", outcome.text());
    let recorded = !outcome.events.is_empty();
    maybe_transacted(outcome, text, recorded)
}
