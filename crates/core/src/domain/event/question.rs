//! Events of questions to the user.

use std::borrow::Cow;

use serde_json::Value;

use crate::domain::event::text::about;
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::task::key::EvidenceKey;
use crate::domain::task::question::{Question, QuestionKind};
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
        key: EvidenceKey,
    }
    /// The user's answer.
    QuestionAnswered { question_id: String, answer: Value, }
    /// Who asked needs no answer any more.
    QuestionWithdrawn { question_id: String, }
}

impl QuestionAsked {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.tasks.questions.ask(Question {
            id: self.question_id.as_str().into(),
            kind: self.kind,
            question: self.question.clone(),
            suggestions: self.suggestions.clone().unwrap_or_default(),
            key: self.key.clone(),
            task_id: self.task_id.clone(),
            at: origin.at.into(),
            by: origin.by,
            session: origin.session.map(str::to_owned),
            answer: None,
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.question_id, Some(&self.question))
    }
}

impl QuestionWithdrawn {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.questions.withdraw(&self.question_id);
        goal.runs.renew();
    }
}

impl QuestionAnswered {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.questions.answer(&self.question_id, &self.answer);
        goal.runs.renew();
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}: {}", self.question_id, self.answer).into()
    }
}
