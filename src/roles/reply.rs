//! Asking a role in JSON: one object on stdin, one object back, held strictly against its shape.
//! An answer that does not fit is no answer: nothing of it is used, nothing is guessed.

use camino::Utf8Path;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::domain::verdict::{Cause, Verdict, readable};
use crate::process::SpawnError;
use crate::render::audit::rule;
use crate::render::text::one_line;
use crate::roles::command::{answer, complained, complaint, run};
use crate::workspace::config::CommandInForce;

/// What a role can be asked, with what it must answer.
pub trait Asked: Serialize {
    /// What it answers.
    type Reply: DeserializeOwned + Sound;
    /// The name of its schema, for `goal schema`.
    const REPLY: &'static str;
}

/// A reply whose shape does not tell all that must hold.
pub trait Sound {
    /// # Errors
    /// What does not hold.
    fn sound(&self) -> Result<(), String>;
}

/// Why there is no reply. Nothing is recorded then.
#[derive(Debug, thiserror::Error)]
pub enum NoReply {
    #[error("it could not be started: {0}")]
    NotStarted(#[from] SpawnError),
    #[error("it was cancelled")]
    Cancelled,
    #[error("{}{}", rule(Verdict::Error, Some(cause)), complained(&one_line(stderr)))]
    Unreadable {
        cause: Cause,
        /// How its stderr ended, cleaned.
        stderr: String,
    },
    #[error("its answer does not fit: {problem}")]
    Unfit { problem: String },
    #[error("what it is to be asked cannot be written as JSON: {0}")]
    Unaskable(serde_json::Error),
}

/// Runs the role's command in the project's root and reads its reply.
///
/// # Errors
/// It did not start, was cancelled, or answered with anything else than one fitting object.
pub fn ask<A: Asked>(
    chosen: &CommandInForce,
    root: &Utf8Path,
    asked: &A,
    cancel: &dyn Fn() -> bool,
) -> Result<A::Reply, NoReply> {
    let input = serde_json::to_string(asked).map_err(NoReply::Unaskable)?;
    let finished = run(chosen, root, &format!("{input}\n"), cancel)?;
    match readable(&answer(&finished)) {
        Ok(text) => parse(text).map_err(|problem| NoReply::Unfit { problem }),
        Err(Cause::Cancelled) => Err(NoReply::Cancelled),
        Err(cause) => Err(NoReply::Unreadable {
            cause,
            stderr: complaint(&finished),
        }),
    }
}

/// A reply as it must be: one JSON object with the known fields, and nothing around it.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn parse<R: DeserializeOwned + Sound>(text: &str) -> Result<R, String> {
    let reply: R =
        serde_json::from_str(text.trim()).map_err(|error| one_line(&error.to_string()))?;
    reply.sound()?;
    Ok(reply)
}

/// Refuses a text that says nothing.
///
/// # Errors
/// It is empty.
pub(super) fn says(field: &str, text: &str) -> Result<(), String> {
    match text.trim() {
        "" => Err(format!("`{field}` is empty")),
        _ => Ok(()),
    }
}
