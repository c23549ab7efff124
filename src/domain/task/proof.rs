//! What a task still has to show before it is complete, beside the tasks below it. The one place
//! that says so, whoever or whatever completes it.

use crate::domain::task::condition::Condition;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Tasks;

/// Which conditions of a task do not hold, in the order of its definition; `path` has the ids from
/// the top level down to it.
///
/// Its own evidence is what a verification contract asks for, and what a confirmation is: neither
/// what was known before the user was asked, nor their yes to something else, stands for it.
pub fn missing<'a>(tasks: &'a Tasks, task: &'a TaskSpec, path: &[&str]) -> Vec<Condition<'a>> {
    let mut missing = Vec::new();
    if !task.done_when.is_empty() {
        let seen = tasks.evidence.seen_by(path);
        let primitive = Primitive::of(task);
        let confirms = primitive.confirms();
        let holds = |condition: &Condition<'_>| match condition {
            Condition::HasEvidence { key } if confirms == Some(key) => {
                tasks.evidence.given_to(&task.id).any(|it| *it.key == **key)
            }
            condition => condition.holds(&seen),
        };
        let conditions = task.done_when.iter().map(Condition::of);
        missing.extend(conditions.filter(|condition| !holds(condition)));
    }
    let proved = || {
        tasks.mark(&task.id).evidence.is_some()
            || tasks.evidence.given_to(&task.id).next().is_some()
    };
    if let Some(contract) = task.verification_contract.as_deref()
        && !proved()
    {
        missing.push(Condition::Verified { contract });
    }
    missing
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::event::Payload;

    fn tasks(task: Value, events: &[(&str, Value)]) -> Tasks {
        let mut tasks = Tasks::default();
        let set = json!({ "taskCount": 1, "blockCompletion": true, "tasks": [task] });
        for (name, fields) in [("task_list_set", set)].iter().chain(events) {
            let payload = Payload::decode(name, &fields.to_string()).unwrap();
            tasks = tasks.after(&[payload]);
        }
        tasks
    }

    fn lacks(task: Value, events: &[(&str, Value)]) -> Vec<String> {
        let tasks = tasks(task, events);
        let missing = missing(&tasks, &tasks.specs[0], &["1"]);
        missing.iter().map(ToString::to_string).collect()
    }

    fn given(task: Option<&str>) -> (&'static str, Value) {
        let fields = match task {
            Some(task) => json!({ "taskId": task, "key": "k", "value": true }),
            None => json!({ "key": "k", "value": true }),
        };
        ("evidence_added", fields)
    }

    const WANTED: &str = "there is no evidence `k`";
    const CONTRACT: &str = "its verification contract asks for evidence";

    #[test]
    fn a_confirmation_is_the_tasks_own() {
        let asks = |name: &str| {
            json!({ "id": "1", "title": "t", "pred": { "name": name },
                    "doneWhen": [{ "kind": "hasEvidence", "key": "k" }] })
        };
        assert_eq!(lacks(asks("confirm"), &[given(None)]), [WANTED]);
        assert_eq!(lacks(asks("confirm"), &[given(Some("2"))]), [WANTED]);
        assert!(lacks(asks("confirm"), &[given(Some("1"))]).is_empty());
        assert!(lacks(asks("gather_info"), &[given(None)]).is_empty());
    }

    #[test]
    fn a_verification_contract_asks_for_evidence_of_the_task() {
        let task = || json!({ "id": "1", "title": "t", "verificationContract": "v" });
        let complete = ("task_complete", json!({ "taskId": "1", "evidence": "e" }));
        let reopened = ("task_reopened", json!({ "taskId": "1", "reason": "r" }));
        assert_eq!(lacks(task(), &[given(None)]), [CONTRACT]);
        assert!(lacks(task(), &[given(Some("1"))]).is_empty());
        assert!(lacks(task(), std::slice::from_ref(&complete)).is_empty());
        assert_eq!(lacks(task(), &[complete, reopened]), [CONTRACT]);
    }
}
