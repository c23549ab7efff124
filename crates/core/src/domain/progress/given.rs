//! Steps of an agenda as somebody gives them: strictly, unlike events.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::progress::state::AgendaStep;

/// One step of an agenda.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepGiven {
    /// What is done, in a word.
    pub skill: String,
    /// To what.
    pub target: Option<String>,
    /// Why the step matters.
    pub purpose: String,
    /// It is done already.
    #[serde(default)]
    pub done: bool,
}

impl From<StepGiven> for AgendaStep {
    fn from(given: StepGiven) -> AgendaStep {
        AgendaStep {
            skill: given.skill,
            target: given.target,
            purpose: given.purpose,
            done: given.done,
        }
    }
}
