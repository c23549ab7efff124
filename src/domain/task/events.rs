//! Events of tasks, evidence, plans, questions and checks (docs/ledger-format.md#events).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::goal::events::plain;
use crate::domain::wire::body::Plain;
use crate::domain::wire::lenient;

plain! {
    /// The goal's tasks were set anew. Without `tasks` (other writers) the tree stands in the
    /// goal's document.
    TaskListSet {
        #[serde(deserialize_with = "lenient::count")]
        #[schemars(with = "i64")]
        task_count: u64,
        block_completion: bool,
        ;
        tasks: Vec<TaskSpec>,
        decomp: Decomposition,
        source: String,
        reason: String,
    }
    /// Tasks were added to the goal.
    TaskAdded { tasks: Vec<TaskSpec>, }
    /// Tasks were redefined, by id.
    TaskUpdated { tasks: Vec<TaskSpec>, }
    /// A task was decomposed into children.
    TaskExpanded {
        task_id: String,
        tasks: Vec<TaskSpec>,
        decomp: Decomposition,
        source: String,
    }
    /// Work on a task began. Starts do not count as attempts.
    TaskStarted { task_id: String, }
    /// A task is done.
    TaskComplete { task_id: String, ; evidence: String, summary: String, }
    /// A task is left out.
    TaskSkipped { task_id: String, ; reason: String, }
    /// One attempt at a task failed.
    TaskFailed { task_id: String, ; reason: String, }
    /// A task cannot go on.
    TaskBlocked { task_id: String, ; reason: String, }
    /// A task is to be done again.
    TaskReopened { task_id: String, ; reason: String, }
    /// Something was shown to be so.
    EvidenceAdded { key: String, value: Value, ; source: String, task_id: String, }
    /// The evaluator answered a predicate, for this evidence.
    ConditionChecked {
        predicate: Value,
        satisfied: bool,
        ;
        reasoning: String,
        evidence_hash: String,
        task_id: String,
    }
    /// A plan was asked for, with a reason if there was one already.
    PlanRequested { ; task_id: String, reason: String, }
    /// No plan came of it.
    PlanFailed { reason: String, ; task_id: String, }
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
    /// What a message was taken to mean for the goal.
    MessageInterpreted { action: String, reasoning: String, }
    /// A rolling summary that replaces raw history.
    ContextSummarized { summary: String, }
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

/// How children make up their parent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Decomposition {
    #[default]
    And,
    Or,
}

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    Info,
    Confirm,
    Approval,
}

/// A task as it is defined; what became of it is in later events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", remote = "Self")]
#[schemars(!remote)]
pub struct TaskSpec {
    pub id: String,
    pub title: String,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pred: Option<Predicate>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomp: Option<Decomposition>,
    #[serde(default, deserialize_with = "lenient::list")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskSpec>,
    /// `hasEvidence` and `predicateTrue`; kept as they were given.
    #[serde(default, deserialize_with = "lenient::list")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done_when: Vec<Value>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_contract: Option<String>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Procedure id and title, index of the step, suggested tool, planner.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Value>,
    /// How many attempts may fail; 3 without it.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    pub max_attempts: Option<u32>,
}

lenient::objects_only!(TaskSpec, Predicate);

/// How many attempts at a task may fail, where its definition does not say.
pub const ATTEMPTS: u32 = 3;

impl TaskSpec {
    /// A task of which nothing but id and title is known.
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> TaskSpec {
        TaskSpec {
            id: id.into(),
            title: title.into(),
            pred: None,
            decomp: None,
            tasks: Vec::new(),
            done_when: Vec::new(),
            success_criteria: None,
            verification_contract: None,
            owner: None,
            provenance: None,
            max_attempts: None,
        }
    }

    /// The same task without those below it.
    pub fn without_tasks(&self) -> TaskSpec {
        TaskSpec {
            pred: self.pred.clone(),
            decomp: self.decomp,
            done_when: self.done_when.clone(),
            success_criteria: self.success_criteria.clone(),
            verification_contract: self.verification_contract.clone(),
            owner: self.owner.clone(),
            provenance: self.provenance.clone(),
            max_attempts: self.max_attempts,
            ..TaskSpec::new(&*self.id, &*self.title)
        }
    }

    /// How its children make it up.
    pub fn decomposition(&self) -> Decomposition {
        self.decomp.unwrap_or(Decomposition::And)
    }

    /// How many attempts may fail.
    pub fn attempts_allowed(&self) -> u32 {
        self.max_attempts.unwrap_or(ATTEMPTS)
    }

    /// Whether it is made of other tasks, which may still have to be planned.
    pub fn is_composite(&self) -> bool {
        !self.tasks.is_empty()
            || self
                .pred
                .as_ref()
                .is_some_and(|pred| pred.name == "composite")
    }
}

/// What a primitive task does, or `composite`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct Predicate {
    pub name: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
}
