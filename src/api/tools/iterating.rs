//! The tools of an agent that goes round until checks pass.

use crate::api::tools::arguments::{Iterate, IterationAct, IterationValidate, missing, only};
use crate::api::tools::told::{ToolAnswer, maybe_transacted};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::iterate::{self, Complete, Iterated, IterationStatus, Next, Start};

/// What goes with the act; what belongs to another one would be lost.
fn goes_together(asked: &Iterate) -> Result<(), Failure> {
    let (of, takes): (&str, &[&str]) = match asked.act {
        IterationAct::Start => (
            "act `start`",
            &[
                "taskId",
                "maxIterations",
                "completionPromises",
                "validationRules",
                "agentFile",
            ],
        ),
        IterationAct::Validate => ("act `validate`", &["iterationId", "output"]),
        IterationAct::Next => ("act `next`", &["iterationId", "learned"]),
        IterationAct::Complete => ("act `complete`", &["iterationId", "outcome", "summary"]),
    };
    let given = [
        ("taskId", asked.task_id.is_some()),
        ("maxIterations", asked.max_iterations.is_some()),
        ("completionPromises", asked.completion_promises.is_some()),
        ("validationRules", asked.validation_rules.is_some()),
        ("agentFile", asked.agent_file.is_some()),
        ("iterationId", asked.iteration_id.is_some()),
        ("output", asked.output.is_some()),
        ("learned", asked.learned.is_some()),
        ("outcome", asked.outcome.is_some()),
        ("summary", asked.summary.is_some()),
    ];
    only(of, takes, &given)
}

/// One tool for the four acts.
pub(super) fn iterate(call: &Call, asked: Iterate) -> Result<ToolAnswer, Failure> {
    goes_together(&asked)?;
    let iteration_id = asked.iteration_id;
    match asked.act {
        IterationAct::Start => {
            let begun = Start {
                task_id: asked.task_id,
                max_iterations: asked.max_iterations,
                completion_promises: asked.completion_promises,
                validation_rules: asked.validation_rules,
                agent_file: asked.agent_file,
            };
            start(call, begun)
        }
        IterationAct::Validate => {
            let output = asked.output;
            validate(
                call,
                IterationValidate {
                    iteration_id,
                    output,
                },
            )
        }
        IterationAct::Next => {
            let learned = asked.learned;
            next(
                call,
                Next {
                    iteration_id,
                    learned,
                },
            )
        }
        IterationAct::Complete => {
            let ended = Complete {
                iteration_id,
                outcome: asked.outcome.ok_or_else(|| missing("outcome"))?,
                summary: asked.summary.ok_or_else(|| missing("summary"))?,
            };
            complete(call, ended)
        }
    }
}

pub(super) fn start(call: &Call, asked: Start) -> Result<ToolAnswer, Failure> {
    told(
        iterate::start(call, &asked)?,
        "Work, then call `iterate_goal` with act `validate`.",
    )
}

pub(super) fn validate(call: &Call, asked: IterationValidate) -> Result<ToolAnswer, Failure> {
    let output = asked.output.as_deref().map(str::as_bytes);
    let outcome = iterate::validate(call, asked.iteration_id.as_deref(), output, &|_| {})?;
    let then = match (outcome.status, outcome.should_continue) {
        (Some(IterationStatus::Active), Some(true)) => {
            "Find out why, then begin the next iteration: `iterate_goal` with act `next`, saying what was \
             learned."
        }
        (Some(IterationStatus::Active), _) => {
            "End it: `iterate_goal` with act `complete` and outcome success; completing the task or the \
             goal is another call."
        }
        _ => "It is over. Tell the user what is in the way.",
    };
    told(outcome, then)
}

pub(super) fn next(call: &Call, asked: Next) -> Result<ToolAnswer, Failure> {
    told(
        iterate::next(call, &asked)?,
        "Work, then call `iterate_goal` with act `validate`.",
    )
}

pub(super) fn complete(call: &Call, asked: Complete) -> Result<ToolAnswer, Failure> {
    let outcome = iterate::complete(call, &asked)?;
    let then = match outcome.status {
        Some(IterationStatus::Success) => {
            "Complete its task with `update_goal_task`, or ask for the goal's completion with \
             `update_goal`."
        }
        _ => "Tell the user what is in the way.",
    };
    told(outcome, then)
}

fn told(outcome: Iterated, then: &str) -> Result<ToolAnswer, Failure> {
    let text = format!("{}{then}", outcome.text());
    let recorded = !outcome.events.is_empty();
    maybe_transacted(outcome, text, recorded)
}
