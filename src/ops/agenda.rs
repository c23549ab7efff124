//! The agenda: an agent's own flat list of steps, set whole and marked step by step.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::event::{AgendaSet, Payload};
use crate::domain::progress::state::AgendaStep;
use crate::domain::progress::{ProgressCommand, StepGiven};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::transaction::Receipt;

/// The outcome of `agenda`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agenda {
    /// The agenda as it is on record.
    pub steps: Vec<AgendaStep>,
}

/// Puts these steps in place of what is there.
///
/// # Errors
/// A step that says nothing, too many of them, nothing that changes, no goal.
pub fn set(call: &Call, steps: Vec<StepGiven>) -> Result<Outcome<Agenda>, Failure> {
    let steps: Vec<AgendaStep> = steps.into_iter().map(AgendaStep::from).collect();
    let arguments = json!({ "steps": steps });
    record(
        call,
        ProgressCommand::SetAgenda(AgendaSet { steps }),
        arguments,
    )
}

/// Marks a step as done, counted from 1.
///
/// # Errors
/// There is no such step, it is done already, or there is no goal.
pub fn done(call: &Call, step: usize) -> Result<Outcome<Agenda>, Failure> {
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
    let steps: Vec<StepGiven> = serde_path_to_error::deserialize(&mut input)
        .map_err(|error| unread("the agenda is", error, hint))?;
    input
        .end()
        .map_err(|error| Failure::usage(error.to_string(), hint))?;
    Ok(steps)
}

/// JSON that cannot be read, with the field that is wrong; `what` begins the sentence.
fn unread(what: &str, error: serde_path_to_error::Error<serde_json::Error>, hint: &str) -> Failure {
    let path = error.path().to_string();
    let why = error.into_inner();
    let message = match path.as_str() {
        "." => format!("{what} no JSON that can be read: {why}"),
        path => format!("`{path}`: {why}"),
    };
    Failure::usage(message, hint)
}

fn record(call: &Call, act: ProgressCommand, arguments: Value) -> Result<Outcome<Agenda>, Failure> {
    Ok(call.request(act).key(arguments).run()?.into())
}

impl From<&Receipt> for Agenda {
    fn from(receipt: &Receipt) -> Agenda {
        let steps = receipt.payloads().find_map(|payload| match payload {
            Payload::AgendaSet(set) => Some(set.steps.clone()),
            _ => None,
        });
        Agenda {
            steps: steps.unwrap_or_default(),
        }
    }
}
