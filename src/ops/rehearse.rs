//! `--dry-run`: what a command would record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::command::Command;
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;

/// What would be recorded. Nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// In their order.
    pub would_record: Vec<Rehearsed>,
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
    let would_record = events.into_iter().map(|event| Rehearsed {
        name: event.payload.name().to_owned(),
        text: event.payload.text().into_owned(),
        goal_id: event.goal_id,
    });
    Ok(Rehearsal {
        would_record: would_record.collect(),
    })
}
