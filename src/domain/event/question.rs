//! Events of questions to the user.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::event::origin::{Origin, about};
use crate::domain::goal::state::Goal;
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

impl QuestionAsked {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.tasks.questions.ask(self, origin.at);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.question_id, Some(&self.question))
    }
}

impl QuestionAnswered {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.questions.answer(self);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}: {}", self.question_id, self.answer).into()
    }
}
