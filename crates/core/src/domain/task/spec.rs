//! A task as it is defined and as a caller gives it; what became of it is in later events.
//!
//! How large plans may be. Going over is refused before anything is written.
//!
//! Tasks as a caller gives them: the ledger's field names, read strictly, with what is done marked.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::task::state::TaskStatus;
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
    /// What its plan says of it beside the title; Markdown.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
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
    /// Ids of the tasks that are to end before it begins.
    #[serde(default, deserialize_with = "lenient::list_or_none")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// What its plan calls it, where that is another id than its own.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
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
            details: self.details.clone(),
            tasks: Vec::new(),
            pred: self.pred.clone(),
            decomp: self.decomp,
            done_when: self.done_when.clone(),
            success_criteria: self.success_criteria.clone(),
            verification_contract: self.verification_contract.clone(),
            owner: self.owner.clone(),
            provenance: self.provenance.clone(),
            max_attempts: self.max_attempts,
            after: self.after.clone(),
            plan_id: self.plan_id.clone(),
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

/// The limits in force; configuration can change them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting; the top level is 1.
    pub depth: usize,
    /// Most open primitive tasks of a goal.
    pub open: usize,
    /// Fewest and most checkpoints that a planner may answer with.
    pub checkpoints: (usize, usize),
    /// How many plans of one goal may fail before it is blocked.
    pub failed_plans: u32,
    /// How many attempts at a task may fail, where its definition does not say.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: 10,
            open: 500,
            checkpoints: (3, 20),
            failed_plans: 3,
            attempts: crate::domain::task::spec::ATTEMPTS,
        }
    }
}

/// How many tokens of a summary of what happened so far, when nobody said.
pub const SUMMARY_TOKENS: usize = 1500;

/// How many tokens a text has, as we count: one for every four bytes begun. Models differ, and
/// none is asked; for English the estimate is high rather than low.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// How deep tasks nest; none are 0.
pub fn depth(specs: &[TaskSpec]) -> usize {
    let deepest = specs.iter().map(|spec| 1 + depth(&spec.tasks)).max();
    deepest.unwrap_or(0)
}

/// One task to define.
// Unknown fields are errors: a misspelt condition must not silently be none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskGiven {
    /// Left out, it is numbered: `1`, `2`, and `2.1` below `2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is to be done.
    pub title: String,
    /// What else is to be known of it; Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What kind of step it is: `execute` without it, `composite` for what is still to be planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pred: Option<Predicate>,
    /// Whether all tasks below it are needed (`AND`, without it) or one of them is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomp: Option<Decomposition>,
    /// The tasks below it, each again such an object.
    #[serde(
        default,
        deserialize_with = "absent_where_null",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub tasks: Vec<TaskGiven>,
    /// Conditions: `{"kind":"hasEvidence","key":"…"}`, `{"kind":"predicateTrue","pred":{…}}`.
    #[serde(
        default,
        deserialize_with = "absent_where_null",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub done_when: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<Vec<String>>,
    /// What its completion must be proved by; it then completes only with evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification_contract: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Value>,
    /// How many attempts may fail; 3 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Ids of tasks that it waits for.
    #[serde(
        default,
        deserialize_with = "absent_where_null",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub after: Vec<String>,
    /// It is done already.
    #[serde(
        default,
        deserialize_with = "absent_where_null",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub done: bool,
    /// Its state already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// Why it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The id that its plan gives it. It becomes the task's where no other task has it.
    #[serde(skip)]
    pub own_id: Option<String>,
}

impl TaskGiven {
    /// How it stands already.
    pub fn standing(&self) -> TaskStatus {
        match self.status {
            Some(status) => status,
            None if self.done => TaskStatus::Complete,
            None => TaskStatus::Pending,
        }
    }
}

/// Models write null for what they leave out.
fn absent_where_null<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(input)?.unwrap_or_default())
}

/// Tasks with what holds for all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeGiven {
    pub tasks: Vec<TaskGiven>,
    /// Whether all top-level tasks are needed (`AND`, without it) or one is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomp: Option<Decomposition>,
    /// Whether open tasks hold completion; without it as it is, and a first list holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_completion: Option<bool>,
    /// Numbers that no task is to get, since the plan calls something else so.
    #[serde(skip)]
    pub reserved: BTreeSet<String>,
}

impl TreeGiven {
    /// What its tasks are to the ledger.
    pub fn definitions(&self) -> Definitions {
        Definitions {
            reserved: self.reserved.clone(),
            ..definitions(&self.tasks)
        }
    }
}

/// Indexes from the top level down to a task.
pub type Place = Vec<usize>;

/// Definitions, and what is said of some of them beside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions {
    pub tasks: Vec<TaskSpec>,
    /// What became of those that are more than pending.
    pub outcomes: BTreeMap<Place, GivenOutcome>,
    /// The ids that their plan gives them.
    pub own_ids: BTreeMap<Place, String>,
    /// The ids of tasks of their plan that the goal has already, by the ids that the plan gives them.
    pub there: BTreeMap<String, String>,
    /// Numbers that none of them is to get, since the plan calls something else so.
    pub reserved: BTreeSet<String>,
}

impl Definitions {
    /// What these tasks can call each other.
    pub fn names(&self) -> BTreeSet<String> {
        fn ids(specs: &[TaskSpec], names: &mut BTreeSet<String>) {
            for spec in specs {
                names.extend((!spec.id.is_empty()).then(|| spec.id.clone()));
                ids(&spec.tasks, names);
            }
        }
        let mut names: BTreeSet<String> = self.own_ids.values().cloned().collect();
        ids(&self.tasks, &mut names);
        names
    }
}

/// What became of a task before it was defined here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenOutcome {
    pub status: TaskStatus,
    pub reason: Option<String>,
}

/// What these tasks are to the ledger. Of a task with children that is done, only the children's
/// marks count: what it comes to follows from them.
pub fn definitions(given: &[TaskGiven]) -> Definitions {
    let mut defined = Definitions::default();
    defined.tasks = specs(given, &mut Vec::new(), &mut defined);
    defined
}

fn specs(given: &[TaskGiven], at: &mut Place, said: &mut Definitions) -> Vec<TaskSpec> {
    let mut all = Vec::with_capacity(given.len());
    for (index, task) in given.iter().enumerate() {
        at.push(index);
        let status = task.standing();
        let follows = status == TaskStatus::Complete && !task.tasks.is_empty();
        if status != TaskStatus::Pending && !follows {
            let reason = task.reason.clone();
            said.outcomes
                .insert(at.clone(), GivenOutcome { status, reason });
        }
        if let Some(id) = &task.own_id {
            said.own_ids.insert(at.clone(), id.clone());
        }
        all.push(TaskSpec {
            details: task.details.clone(),
            pred: task.pred.clone(),
            decomp: task.decomp,
            tasks: specs(&task.tasks, at, said),
            done_when: task.done_when.clone(),
            success_criteria: task.success_criteria.clone(),
            verification_contract: task.verification_contract.clone(),
            owner: task.owner.clone(),
            provenance: task.provenance.clone(),
            max_attempts: task.max_attempts,
            after: task.after.clone(),
            ..TaskSpec::new(task.id.clone().unwrap_or_default(), &task.title)
        });
        at.pop();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_parents_follow_from_their_children() {
        let given: Vec<TaskGiven> = serde_json::from_str(
            r#"[{"title":" a ","done":true},
                {"title":"b","done":true,"tasks":[{"title":"c"},{"title":"d","done":true}]}]"#,
        )
        .unwrap();
        let Definitions {
            tasks, outcomes, ..
        } = definitions(&given);
        let done: Vec<&Place> = outcomes.keys().collect();
        assert_eq!(done, [&vec![0], &vec![1, 1]]);
        assert_eq!((&*tasks[0].id, &*tasks[0].title), ("", "a"));
        assert_eq!(tasks[1].tasks.len(), 2);
    }

    #[test]
    fn a_misspelt_field_is_an_error() {
        let wrong = serde_json::from_str::<TaskGiven>(r#"{"title":"a","donewhen":[]}"#);
        assert!(wrong.unwrap_err().to_string().contains("`donewhen`"));
    }
}
