//! What a tool answers: data for the adapter, and a text for the model.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::text::clean;

/// The answer of a tool.
#[derive(Debug)]
pub struct ToolAnswer {
    /// Has the field `text` beside those of the outcome.
    pub data: Value,
    /// An agent must end its turn now.
    pub stop_turn: bool,
    /// Something was appended.
    pub recorded: bool,
    /// The call failed although the data is complete.
    pub failure: Option<Failure>,
}

/// An outcome with its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WithText<T> {
    /// For the model: what to do.
    pub text: String,
    #[serde(flatten)]
    pub outcome: T,
}

/// Only a text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Said {
    /// For the model.
    pub text: String,
}

/// The answer of a tool that only read.
pub(super) fn read<T: Serialize>(outcome: T, text: String) -> Result<ToolAnswer, Failure> {
    seen(&WithText { text, outcome })
}

/// The answer of a tool that says something and does nothing.
pub(super) fn said(text: &str) -> Result<ToolAnswer, Failure> {
    seen(&Said { text: text.into() })
}

fn seen<T: Serialize>(told: &T) -> Result<ToolAnswer, Failure> {
    Ok(ToolAnswer {
        data: data(told)?,
        stop_turn: false,
        recorded: false,
        failure: None,
    })
}

/// The answer of a tool that may have recorded something, or only looked.
pub(super) fn maybe_transacted<T: Record>(
    outcome: T,
    text: String,
    recorded: bool,
) -> Result<ToolAnswer, Failure> {
    match recorded {
        true => transacted(outcome, text),
        false => read(outcome, text),
    }
}

/// The answer of a tool that ran a transaction.
pub(in crate::api) fn transacted<T: Record>(
    outcome: T,
    text: String,
) -> Result<ToolAnswer, Failure> {
    let (stop_turn, failure) = (outcome.stops_turn(), outcome.failure());
    let mut told = WithText { text, outcome };
    let mut data = data(&told)?;
    // The text is all that a model reads.
    for notice in told.outcome.notices() {
        let note = format!("\nNote: {}.", clean(&notice.message));
        told.text.push_str(&note);
    }
    data["text"] = told.text.into();
    Ok(ToolAnswer {
        stop_turn,
        recorded: true,
        failure,
        data,
    })
}

fn data<T: Serialize>(told: &T) -> Result<Value, Failure> {
    serde_json::to_value(told).map_err(|error| Failure::internal(&error))
}
