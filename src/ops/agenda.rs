//! The agenda: an agent's own flat list of steps, set whole and marked step by step.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::command::Command;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::Payload;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::progress::command::ProgressCommand;
use crate::domain::progress::events::AgendaStep;
use crate::domain::progress::given::StepGiven;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;

/// The outcome of `agenda`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agenda {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The agenda as it is on record.
    pub steps: Vec<AgendaStep>,
    /// The same request was answered before: these are its events, nothing was appended now.
    pub repeated: bool,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

impl Record for Agenda {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// Puts these steps in place of what is there.
///
/// # Errors
/// A step that says nothing, too many of them, nothing that changes, no goal.
pub fn set(call: &Call, steps: Vec<StepGiven>) -> Result<Agenda, Failure> {
    let steps: Vec<AgendaStep> = steps.into_iter().map(AgendaStep::from).collect();
    let arguments = json!({ "steps": steps });
    record(call, ProgressCommand::SetAgenda { steps }, arguments)
}

/// Marks a step as done, counted from 1.
///
/// # Errors
/// There is no such step, it is done already, or there is no goal.
pub fn done(call: &Call, step: usize) -> Result<Agenda, Failure> {
    let arguments = json!({ "done": step });
    record(call, ProgressCommand::AgendaDone { step }, arguments)
}

/// Reads steps as JSON: a list of `{skill, target?, purpose, done?}`.
///
/// # Errors
/// It is none, with the field that is wrong.
pub fn read(text: &str) -> Result<Vec<StepGiven>, Failure> {
    let hint = "pass JSON such as [{\"skill\": \"test\", \"target\": \"src/a.rs\", \"purpose\": \
                \"see what fails\"}]";
    let mut input = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}'));
    let steps: Vec<StepGiven> = serde_path_to_error::deserialize(&mut input).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner();
        let message = match path.as_str() {
            "." => format!("the agenda is no JSON that can be read: {why}"),
            path => format!("`{path}`: {why}"),
        };
        Failure::usage(message, hint)
    })?;
    input
        .end()
        .map_err(|error| Failure::usage(error.to_string(), hint))?;
    Ok(steps)
}

fn record(call: &Call, act: ProgressCommand, arguments: Value) -> Result<Agenda, Failure> {
    let command = Command::Progress { act: Box::new(act) };
    let receipt = call.transact(command, arguments)?;
    let recorded = receipt
        .events
        .iter()
        .find_map(|event| match &event.payload {
            Payload::AgendaSet(set) => Some(set.steps.clone()),
            _ => None,
        });
    Ok(Agenda {
        goal_id: receipt.goal_id,
        revision: receipt.revision,
        status: receipt.status,
        events: receipt.ids,
        steps: recorded.unwrap_or_default(),
        repeated: receipt.repeated,
        notices: receipt.notices,
        stop_turn: receipt.stop_turn,
    })
}
