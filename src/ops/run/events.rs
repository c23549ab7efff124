//! What a run tells whoever started it while it goes on: ledger lines, events of the runner's own,
//! how it stands.

use std::time::Duration;

use serde::Serialize;

use crate::domain::id::GoalId;
use crate::render::log::LogLine;
use crate::render::run::Bar;
use crate::workspace::turns::Streams;

/// Something that is told. Nobody needs to listen.
#[derive(Debug)]
pub enum RunUpdate {
    /// A line that was appended to the ledger, by whomever.
    Line(LogLine),
    /// An event of the runner's own, which is no fact of the ledger.
    RunnerEvent(RunnerEvent),
    /// How the run stands, how long it has gone on, and, while its agent works, where that writes.
    Bar(Bar, Duration, Option<Streams>),
    /// How a turn went, in a line.
    Turn(String),
    /// A sentence for a person.
    Say(String),
}

/// Where what is told goes.
pub type Observer<'a> = dyn FnMut(RunUpdate) + 'a;

/// An event of the runner's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunnerEvent {
    #[serde(rename = "type")]
    pub kind: RunnerEventKind,
    pub goal_id: GoalId,
    /// The checkpoint's task; nothing where the goal has none and is worked as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub title: String,
    /// Why a checkpoint failed, or what an evaluation found missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What an evaluation came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    pub at: String,
}

/// Which event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunnerEventKind {
    CheckpointStarted,
    CheckpointCompleted,
    CheckpointFailed,
    Evaluation,
}
