//! Procedures: how a kind of goal is done, written down by people (docs/procedures.md). Read,
//! ranked by relevance, and adapted to a plan. A procedure holds names of tools, never commands.

pub mod adapt;
pub mod rank;
pub mod steps;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::task::spec::Predicate;

/// Most bytes of a procedure's file.
pub const MOST_BYTES: usize = 64 * 1024;

/// Most steps of a procedure.
pub const MOST_STEPS: usize = 50;

/// A procedure that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// The name of its file without `.md`.
    pub id: String,
    pub title: String,
    /// What it is for, each in words in which somebody may ask for it. May be empty.
    pub intent: Vec<String>,
    /// Keys of evidence without which it cannot be done.
    pub parameters: Vec<String>,
    /// Never empty.
    pub steps: Vec<Step>,
}

/// One step of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub title: String,
    pub pred: Predicate,
    pub done_when: Vec<Value>,
    /// The tool that its author suggests.
    pub tool: Option<String>,
}

/// What is wrong with a procedure's file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ProblemView", description = "What is wrong, and where.")]
pub struct Problem {
    /// Of the file, from 1.
    pub line: usize,
    pub message: String,
}

impl Problem {
    /// A problem on this line.
    pub fn new(line: usize, message: impl Into<String>) -> Problem {
        Problem {
            line,
            message: message.into(),
        }
    }
}

/// Whether the text can be a procedure's id: it is part of a file's name, and of a source.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts = |c: char| c.is_ascii_alphanumeric();
    text.len() <= 128 && text.starts_with(starts) && text.chars().all(plain) && !text.contains("..")
}

/// Whether the text can be a key of evidence or the name of a tool: one word, no path, no command.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-:".contains(c);
    !text.is_empty() && text.len() <= 128 && text.chars().all(plain)
}
