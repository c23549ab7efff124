//! Tasks as a caller gives them: the ledger's field names, read strictly, with what is done marked.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::task::spec::{Decomposition, Predicate, TaskSpec};

/// One task that is to be defined. Unknown fields are errors: a misspelt condition must not
/// silently be none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaskGiven {
    /// Left out, it is numbered: `1`, `2`, and `2.1` below `2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is to be done.
    pub title: String,
    /// What kind of step it is: `execute` without it, `composite` for what is still to be planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pred: Option<Predicate>,
    /// Whether all tasks below it are needed (`AND`, without it) or one of them is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decomp: Option<Decomposition>,
    /// The tasks below it, each again such an object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub tasks: Vec<TaskGiven>,
    /// Conditions: `{"kind":"hasEvidence","key":"…"}`, `{"kind":"predicateTrue","pred":{…}}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    /// It is done already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub done: bool,
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
}

/// Definitions, and where those stand that are done: indexes from the top level down.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions {
    pub tasks: Vec<TaskSpec>,
    pub done: BTreeSet<Vec<usize>>,
}

/// What these tasks are to the ledger. Of a task with children, only the children's marks count:
/// what it comes to follows from them.
pub fn definitions(given: &[TaskGiven]) -> Definitions {
    let mut done = BTreeSet::new();
    let tasks = specs(given, &mut Vec::new(), &mut done);
    Definitions { tasks, done }
}

fn specs(
    given: &[TaskGiven],
    at: &mut Vec<usize>,
    done: &mut BTreeSet<Vec<usize>>,
) -> Vec<TaskSpec> {
    let mut all = Vec::with_capacity(given.len());
    for (index, task) in given.iter().enumerate() {
        at.push(index);
        if task.done && task.tasks.is_empty() {
            done.insert(at.clone());
        }
        all.push(TaskSpec {
            pred: task.pred.clone(),
            decomp: task.decomp,
            tasks: specs(&task.tasks, at, done),
            done_when: task.done_when.clone(),
            success_criteria: task.success_criteria.clone(),
            verification_contract: task.verification_contract.clone(),
            owner: task.owner.clone(),
            provenance: task.provenance.clone(),
            max_attempts: task.max_attempts,
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
        let Definitions { tasks, done } = definitions(&given);
        assert_eq!(done, BTreeSet::from([vec![0], vec![1, 1]]));
        assert_eq!((&*tasks[0].id, &*tasks[0].title), ("", "a"));
        assert_eq!(tasks[1].tasks.len(), 2);
    }

    #[test]
    fn a_misspelt_field_is_an_error() {
        let wrong = serde_json::from_str::<TaskGiven>(r#"{"title":"a","donewhen":[]}"#);
        assert!(wrong.unwrap_err().to_string().contains("`donewhen`"));
    }
}
