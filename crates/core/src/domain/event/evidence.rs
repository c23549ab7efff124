//! Events that show something: evidence, answers of the evaluator, checks, questions to the user and
//! their answers.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::domain::event::text::{about, after, bracketed};
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::evidence::{ConditionResult, EvidenceItem};
use crate::domain::task::question::{Question, QuestionKind};
use crate::domain::wire::lenient::plain;

plain! {
    /// Something was shown to be so.
    EvidenceAdded { key: EvidenceKey, value: Value, ; source: String, task_id: String, }
    /// The evaluator answered a predicate, for this evidence.
    ConditionChecked {
        predicate: Value,
        satisfied: bool,
        ;
        reasoning: String,
        evidence_hash: String,
        task_id: String,
    }
    /// A named check ran.
    CheckRun {
        name: String,
        pass: bool,
        ;
        exit_code: i32,
        output: String,
        duration_ms: u64,
        task_id: String,
        /// Every file that its command ran, by its resolved path, with its BLAKE3.
        programs: Map<String, Value>,
    }
}

impl EvidenceAdded {
    /// Whether the goal has it already, word for word.
    pub(in crate::domain) fn is_known(&self, goal: &Goal) -> bool {
        let evidence = &goal.tasks.evidence;
        evidence.says(&self.key, self.task_id.as_deref(), &self.value)
    }

    /// Whether the goal, or the task, has none under this key.
    pub(in crate::domain) fn is_first(&self, goal: &Goal) -> bool {
        let evidence = &goal.tasks.evidence;
        !evidence.has(&self.key, self.task_id.as_deref())
    }

    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.gate.evidence = true;
        goal.tasks.evidence.give(EvidenceItem {
            task_id: self.task_id.clone(),
            key: self.key.clone(),
            value: self.value.clone(),
            source: self.source.clone(),
            at: origin.at.into(),
        });
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let task = bracketed(self.task_id.as_deref());
        format!("{}{task} = {}", self.key, self.value).into()
    }
}

impl ConditionChecked {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let judged = ConditionResult {
            satisfied: self.satisfied,
            reasoning: self.reasoning.clone(),
            evidence_hash: self.evidence_hash.clone(),
        };
        let (task_id, evidence) = (self.task_id.clone(), &mut goal.tasks.evidence);
        evidence.judge(task_id, &self.predicate, judged);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let satisfied = match self.satisfied {
            true => "holds",
            false => "does not hold",
        };
        let why = after(": ", self.reasoning.as_deref());
        format!("{satisfied}{why}").into()
    }
}

impl CheckRun {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.runs.check(self);
        goal.see_checks(|name| !self.pass && *name == self.name);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let outcome = if self.pass { "passed" } else { "failed" };
        let output = after(": ", self.output.as_deref());
        format!("{} {outcome}{output}", self.name).into()
    }
}

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
