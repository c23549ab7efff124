//! What a task still has to show before it is complete, beside the tasks below it. The one place
//! that says so, whoever or whatever completes it.

use crate::domain::task::condition::Condition;
use crate::domain::task::key::EvidenceKey;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Tasks;

/// Which conditions of a task do not hold, in the order of its definition; `path` has the ids from
/// the top level down to it.
///
/// Its own evidence is what a verification contract asks for, and what a confirmation is: neither
/// what was known before the user was asked, nor their yes to something else, stands for it. A
/// confirmation is the user's own word, and a task that asks for one is not complete without it,
/// whatever its conditions say.
pub fn missing<'a>(tasks: &'a Tasks, task: &'a TaskSpec, path: &[&str]) -> Vec<Condition<'a>> {
    let mut missing = Vec::new();
    if !task.done_when.is_empty() {
        let seen = tasks.evidence.seen_by(path);
        let mut conditions: Vec<_> = task.done_when.iter().map(Condition::of).collect();
        let primitive = Primitive::of(task);
        let key = primitive.confirms().cloned();
        let confirmation = key.map(|key| Condition::HasEvidence { key });
        let unnamed = confirmation.clone().filter(|it| !conditions.contains(it));
        conditions.extend(unnamed);
        let is_confirmed = |key: &EvidenceKey| {
            let mut given = tasks.evidence.given_to(&task.id);
            given.any(|it| it.key == *key && it.is_users())
        };
        let holds = |condition: &Condition<'_>| match condition {
            Condition::HasEvidence { key } if confirmation.as_ref() == Some(condition) => {
                is_confirmed(key)
            }
            condition => condition.holds(&seen),
        };
        missing.extend(conditions.into_iter().filter(|it| !holds(it)));
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
        given_by(task, "user")
    }

    fn given_by(task: Option<&str>, source: &str) -> (&'static str, Value) {
        let mut fields = json!({ "key": "k", "value": true, "source": source });
        if let Some(task) = task {
            fields["taskId"] = task.into();
        }
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
    fn a_confirmation_is_the_users_word() {
        let asks = json!({ "id": "1", "title": "t", "pred": { "name": "confirm" },
            "doneWhen": [{ "kind": "hasEvidence", "key": "k" }] });
        for source in ["agent", "interpreter", "tool:t", "goal:g", "presented", ""] {
            let given = given_by(Some("1"), source);
            assert_eq!(lacks(asks.clone(), &[given]), [WANTED], "{source}");
        }
        for source in ["user", "question:q"] {
            let given = given_by(Some("1"), source);
            assert!(lacks(asks.clone(), &[given]).is_empty(), "{source}");
        }
    }

    #[test]
    fn what_the_user_confirms_is_asked_for_under_its_own_key_too() {
        let asks = json!({ "id": "1", "title": "t",
            "pred": { "name": "confirm", "args": { "key": " sure" } },
            "doneWhen": [{ "kind": "hasEvidence", "key": "k" }] });
        assert_eq!(
            lacks(asks.clone(), &[given(Some("1"))]),
            ["there is no evidence `sure`"]
        );
        let sure = json!({ "key": "sure ", "value": true, "source": "user", "taskId": "1" });
        let sure = ("evidence_added", sure);
        assert_eq!(lacks(asks.clone(), std::slice::from_ref(&sure)), [WANTED]);
        assert!(lacks(asks, &[given(Some("1")), sure]).is_empty());
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
