//! A task as it is defined; what became of it is in later events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::wire::lenient;

/// How children make up their parent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Decomposition {
    #[default]
    And,
    Or,
}

/// A task as it is defined; what became of it is in later events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// A task of which nothing but id and title is known. White space around a title is no part of it.
    pub fn new(id: impl Into<String>, title: &str) -> TaskSpec {
        TaskSpec {
            id: id.into(),
            title: title.trim().to_owned(),
            ..TaskSpec::default()
        }
    }

    /// The same task without those below it.
    pub fn without_tasks(&self) -> TaskSpec {
        TaskSpec {
            id: self.id.clone(),
            title: self.title.clone(),
            tasks: Vec::new(),
            pred: self.pred.clone(),
            decomp: self.decomp,
            done_when: self.done_when.clone(),
            success_criteria: self.success_criteria.clone(),
            verification_contract: self.verification_contract.clone(),
            owner: self.owner.clone(),
            provenance: self.provenance.clone(),
            max_attempts: self.max_attempts,
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
