//! Events of questions to the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::wire::body::plain;

plain! {
    /// A question for the user.
    QuestionAsked {
        question_id: String,
        kind: QuestionKind,
        question: String,
        ;
        suggestions: Vec<String>,
        task_id: String,
        key: String,
    }
    /// The user's answer.
    QuestionAnswered { question_id: String, answer: Value, }
}

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    Info,
    Confirm,
    Approval,
}
