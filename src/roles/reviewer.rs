//! A reviewer: how its answer is read. A review is an opinion on record and decides nothing.

use std::time::Duration;

use camino::Utf8Path;

use crate::domain::review::{Opinion, opinion};
use crate::domain::verdict::{Cause, Verdict, readable};
use crate::process::SpawnError;
use crate::render::audit::rule;
use crate::roles::command::{answer, complained, complaint, run};
use crate::workspace::config::CommandInForce;

/// What a reviewer that answered said.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    pub opinion: Opinion,
    pub duration: Duration,
}

/// Why there is no review. Nothing is recorded then: no answer is no opinion.
#[derive(Debug, thiserror::Error)]
pub enum NoReview {
    #[error("the reviewer could not be started: {0}")]
    NotStarted(#[from] SpawnError),
    #[error("the review was cancelled")]
    Cancelled,
    #[error(
        "the reviewer gave no review: {}{}",
        rule(Verdict::Error, Some(cause)),
        complained(stderr)
    )]
    Unreadable {
        cause: Cause,
        /// How its stderr ended, cleaned.
        stderr: String,
    },
}

/// Runs the reviewer in the project's root with `prompt` on its stdin, and reads its answer.
///
/// # Errors
/// It did not start, was cancelled, or left nothing that can be read.
pub fn review(
    chosen: &CommandInForce,
    root: &Utf8Path,
    prompt: &str,
    cancel: &dyn Fn() -> bool,
) -> Result<Review, NoReview> {
    let finished = run(chosen, root, prompt, cancel)?;
    match readable(&answer(&finished)) {
        Ok(text) => Ok(Review {
            opinion: opinion(text),
            duration: finished.duration,
        }),
        Err(Cause::Cancelled) => Err(NoReview::Cancelled),
        Err(cause) => Err(NoReview::Unreadable {
            cause,
            stderr: complaint(&finished),
        }),
    }
}
