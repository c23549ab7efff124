//! `--dry-run`: what a command would record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::command::Command;
use crate::domain::decide::PendingEvent;
use crate::domain::event::Payload;
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::view::{PlanFileView, TasksView};

/// What would be recorded. Nothing was.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// In their order.
    pub would_record: Vec<Rehearsed>,
    /// The goal's tasks as they would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksView>,
    /// The plan file that it would be from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFileView>,
}

/// One event that would be recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsed {
    /// Its type in the ledger.
    #[serde(rename = "type")]
    pub name: String,
    /// A goal that would be created has another id when it is.
    pub goal_id: Option<GoalId>,
    /// Its gist.
    pub text: String,
}

/// Decides the command on the project as it is, and records nothing.
///
/// # Errors
/// Those of the command.
pub fn rehearse(call: &Call, command: impl Into<Command>) -> Result<Rehearsal, Failure> {
    let events = call.request(command).rehearse()?;
    let would_record = events.into_iter().map(|event| Rehearsed::of(&event));
    Ok(Rehearsal {
        would_record: would_record.collect(),
        tasks: None,
        plan: None,
    })
}

/// The same of a command that defines tasks, with the goal's tasks as they would be.
///
/// # Errors
/// Those of the command.
pub fn rehearse_tasks(call: &Call, command: impl Into<Command>) -> Result<Rehearsal, Failure> {
    let events = call.request(command).rehearse()?;
    let payloads: Vec<Payload> = events.iter().map(|event| event.payload.clone()).collect();
    let now = call.read()?;
    let tasks = call.target(&now)?.tasks.after(&payloads);
    Ok(Rehearsal {
        would_record: events.iter().map(Rehearsed::of).collect(),
        tasks: Some(TasksView::of(&tasks)),
        plan: None,
    })
}

impl Rehearsed {
    fn of(event: &PendingEvent) -> Rehearsed {
        Rehearsed {
            name: event.payload.name().to_owned(),
            text: event.payload.text().into_owned(),
            goal_id: event.goal_id.clone(),
        }
    }
}
