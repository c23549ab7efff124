//! A planner: what it is given, and how its answer is read. An answer that does not fit is no plan,
//! not even in part.

use camino::Utf8Path;

use crate::domain::task::answer::{AnswerError, read};
use crate::domain::task::plan::{Plan, PlannerInput};
use crate::domain::verdict::{Cause, Verdict, readable};
use crate::process::SpawnError;
use crate::render::audit::rule;
use crate::roles::command::{answer, complained, complaint, run};
use crate::workspace::config::CommandInForce;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum NoPlan {
    #[error("the planner could not be started: {0}")]
    NotStarted(#[from] SpawnError),
    #[error("planning was cancelled")]
    Cancelled,
    #[error(
        "the planner gave no answer: {}{}",
        rule(Verdict::Error, Some(cause)),
        complained(stderr)
    )]
    Unreadable {
        cause: Cause,
        /// How its stderr ended, cleaned.
        stderr: String,
    },
    #[error("the planner's answer is refused: {0}")]
    Refused(#[from] AnswerError),
    #[error("what the planner is to be given cannot be written: {0}")]
    Input(#[from] serde_json::Error),
}

/// Runs the planner in the project's root with `input` as JSON on its stdin, and reads its answer.
///
/// # Errors
/// It did not start, was cancelled, or left nothing that is a plan.
pub fn plan(
    chosen: &CommandInForce,
    root: &Utf8Path,
    input: &PlannerInput,
    cancel: &dyn Fn() -> bool,
) -> Result<Plan, NoPlan> {
    let input = serde_json::to_string_pretty(input)? + "\n";
    let finished = run(chosen, root, &input, cancel)?;
    match readable(&answer(&finished)) {
        Ok(text) => Ok(read(text)?),
        Err(Cause::Cancelled) => Err(NoPlan::Cancelled),
        Err(cause) => Err(NoPlan::Unreadable {
            cause,
            stderr: complaint(&finished),
        }),
    }
}
