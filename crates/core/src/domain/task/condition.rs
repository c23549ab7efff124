//! When a task is done: what it still has to show, conditions on evidence and on what the evaluator said
//! of it.
//!
//! The key of a piece of evidence: what conditions, questions and tools ask for it by.
//!
//! What a task still has to show before it is complete, beside the tasks below it. The one place
//! that says so, whoever or whatever completes it.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::rejection::Rejection;
use crate::domain::task::evidence::View;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Tasks;

/// One thing that a task has to show. A definition keeps a condition as it was given; this is its
/// meaning.
/// Shown, it says what is missing while it does not hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition<'a> {
    /// There is evidence under this key.
    HasEvidence { key: EvidenceKey },
    /// The evaluator found the predicate satisfied by the evidence as it is now.
    PredicateTrue { predicate: &'a Value },
    /// There is evidence of the task's own, which its verification contract asks for.
    Verified { contract: &'a str },
    /// Of another kind, stored code among them. It never holds: nothing stored is evaluated.
    Unusable { kind: &'a str },
}

impl fmt::Display for Condition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::HasEvidence { key } => write!(f, "there is no evidence `{key}`"),
            Condition::PredicateTrue { predicate } => {
                write!(
                    f,
                    "the evaluator has not found {predicate} true of the evidence as it is"
                )
            }
            Condition::Verified { .. } => {
                f.write_str("its verification contract asks for evidence")
            }
            Condition::Unusable { kind } => write!(f, "a condition of kind `{kind}` never holds"),
        }
    }
}

/// Why a condition cannot be part of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    #[error("a condition must be an object with a `kind`")]
    NoKind,
    #[error(
        "`js` conditions are stored code, which is never run; say it with hasEvidence or predicateTrue"
    )]
    Code,
    #[error("a condition of kind `{0}` is not known; there are hasEvidence and predicateTrue")]
    Unknown(String),
    #[error("a hasEvidence condition needs a `key`")]
    NoKey,
    #[error("the `key` of a hasEvidence condition has control characters")]
    OddKey,
    #[error("a predicateTrue condition needs a `pred`")]
    NoPredicate,
}

impl<'a> Condition<'a> {
    /// What a stored condition means.
    pub fn of(value: &'a Value) -> Condition<'a> {
        Condition::read(value).unwrap_or_else(|_| Condition::Unusable {
            kind: value["kind"].as_str().unwrap_or_default(),
        })
    }

    /// The same for a condition that is about to be defined.
    ///
    /// # Errors
    /// It could never hold.
    pub fn strict(value: &'a Value) -> Result<Condition<'a>, ConditionError> {
        match Condition::read(value)? {
            Condition::HasEvidence { key } if key.check().is_err() => Err(ConditionError::OddKey),
            condition => Ok(condition),
        }
    }

    fn read(value: &'a Value) -> Result<Condition<'a>, ConditionError> {
        match value["kind"].as_str() {
            None => Err(ConditionError::NoKind),
            Some("hasEvidence") => match value["key"].as_str().map(EvidenceKey::from) {
                Some(key) if !key.is_empty() => Ok(Condition::HasEvidence { key }),
                _ => Err(ConditionError::NoKey),
            },
            Some("predicateTrue") => match &value["pred"] {
                Value::Null => Err(ConditionError::NoPredicate),
                predicate => Ok(Condition::PredicateTrue { predicate }),
            },
            Some("js") => Err(ConditionError::Code),
            Some(other) => Err(ConditionError::Unknown(other.to_owned())),
        }
    }

    /// Whether it holds for what a task sees.
    pub(super) fn holds(&self, seen: &View<'_>) -> bool {
        match self {
            Condition::HasEvidence { key } => seen.value(key).is_some(),
            Condition::PredicateTrue { predicate } => seen.judged(predicate) == Some(true),
            // Said of a task, never of what it sees.
            Condition::Verified { .. } | Condition::Unusable { .. } => false,
        }
    }
}

/// A key of evidence, trimmed.
// Read once, wherever it comes from, and compared in this form only: nobody can write one key in two
// ways. The text is shared, since a goal can have tens of thousands of pieces.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String")]
#[schemars(with = "String", inline)]
pub struct EvidenceKey(Arc<str>);

impl EvidenceKey {
    /// The key as it is shown and recorded.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is no key at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a key under which nothing new may be given or asked for. Another program may have
    /// recorded such keys, so reading accepts them.
    ///
    /// # Errors
    /// It is empty or has control characters.
    pub fn check(&self) -> Result<(), Rejection> {
        if self.is_empty() {
            return Err(Rejection::EmptyField { field: "key" });
        }
        match self.0.contains(char::is_control) {
            true => Err(Rejection::invalid("key", "has control characters")),
            false => Ok(()),
        }
    }
}

impl From<&str> for EvidenceKey {
    fn from(text: &str) -> EvidenceKey {
        EvidenceKey(text.trim().into())
    }
}

impl From<String> for EvidenceKey {
    fn from(text: String) -> EvidenceKey {
        text.as_str().into()
    }
}

impl fmt::Display for EvidenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
    use super::*;

    #[test]
    fn white_space_around_a_key_does_not_count() {
        let key = EvidenceKey::from("approved");
        for text in [
            " approved",
            "approved ",
            "\tapproved\n",
            "\u{a0}approved\u{2003}",
        ] {
            assert_eq!(EvidenceKey::from(text), key, "{text:?}");
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<EvidenceKey>(&json).unwrap(), key);
        }
        assert_ne!(EvidenceKey::from("app roved"), key);
        assert_eq!(serde_json::to_string(&key).unwrap(), "\"approved\"");
    }

    #[test]
    fn new_keys_say_something_in_visible_text() {
        let code = |text: &str| EvidenceKey::from(text).check().err().map(|it| it.code());
        assert_eq!(code("a key"), None);
        assert_eq!(code(" \n"), Some("empty_field"));
        assert_eq!(code("a\nkey"), Some("invalid_field"));
        assert_eq!(code("a\u{1b}key"), Some("invalid_field"));
    }
}

#[cfg(test)]
mod proof_tests {
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
