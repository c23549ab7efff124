//! Evidence: what was shown to be so, and which of it a task sees.
//!
//! What is given to a task is also the goal's. A task sees its own value for a key, else that of
//! its nearest ancestor, else the goal's latest, whoever it was given to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::forms;

/// One piece of evidence, in order of its recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// Nothing for evidence that was given to the goal itself.
    pub task_id: Option<String>,
    pub key: String,
    pub value: Value,
    /// A person, a tool or a question; as the event says it.
    pub source: Option<String>,
    pub at: String,
}

/// Whether a value can be evidence: evidence that there is nothing is none.
pub fn says_something(value: &Value) -> bool {
    !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty())
}

/// What the evaluator said of a predicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    pub satisfied: bool,
    pub reasoning: Option<String>,
    /// Of the evidence that it was said of.
    pub evidence_hash: Option<String>,
}

/// An answer of the evaluator, and the keys that there was evidence under by then.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answer {
    judged: Judged,
    keys: BTreeSet<String>,
}

/// All evidence of one goal, and what the evaluator made of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    given: Vec<Given>,
    /// By task, nothing for the goal, and predicate.
    #[serde(with = "forms::pairs")]
    answers: BTreeMap<(Option<String>, String), Answer>,
}

impl Evidence {
    /// Records a piece.
    pub(super) fn give(&mut self, given: Given) {
        self.given.push(given);
    }

    /// Records what the evaluator said.
    pub(super) fn judge(&mut self, task_id: Option<String>, predicate: &Value, judged: Judged) {
        let keys = self.given.iter().map(|given| given.key.clone()).collect();
        let answer = Answer { judged, keys };
        self.answers
            .insert((task_id, predicate.to_string()), answer);
    }

    /// Forgets what was given to a task and said of it, which is to be done again.
    pub(super) fn drop_of(&mut self, task_id: &str) {
        self.given
            .retain(|given| given.task_id.as_deref() != Some(task_id));
        self.answers
            .retain(|(of, _), _| of.as_deref() != Some(task_id));
    }

    /// What was given to this task.
    pub fn given_to<'a>(&'a self, task_id: &str) -> impl Iterator<Item = &'a Given> {
        let of = move |given: &&Given| given.task_id.as_deref() == Some(task_id);
        self.given.iter().filter(of)
    }

    /// The tasks that something was given to, or that the evaluator spoke of.
    pub fn tasks(&self) -> BTreeSet<&str> {
        let given = self.given.iter().filter_map(|it| it.task_id.as_deref());
        let judged = self.answers.keys().filter_map(|(of, _)| of.as_deref());
        given.chain(judged).collect()
    }

    /// Every piece, oldest first.
    pub fn all(&self) -> &[Given] {
        &self.given
    }

    /// What is seen at the end of `path`, task ids from the top level down; empty for the goal.
    pub fn seen_by<'a>(&'a self, path: &[&str]) -> View<'a> {
        let mut values: BTreeMap<&str, (usize, &Value)> = BTreeMap::new();
        for given in &self.given {
            let of = given.task_id.as_deref();
            // 0 for the goal's latest, more the nearer the task that it was given to.
            let rank = of.and_then(|of| path.iter().position(|id| *id == of));
            let rank = rank.map_or(0, |depth| depth + 1);
            let known = values.get(given.key.as_str()).map_or(0, |(rank, _)| *rank);
            if rank >= known {
                values.insert(&given.key, (rank, &given.value));
            }
        }
        let values: BTreeMap<&str, &Value> = values
            .into_iter()
            .map(|(key, (_, value))| (key, value))
            .collect();
        let task_id = path.last().map(|id| (*id).to_owned());
        View {
            evidence: self,
            task_id,
            values,
        }
    }
}

/// What one task, or the goal itself, sees.
#[derive(Debug, Clone)]
pub struct View<'a> {
    evidence: &'a Evidence,
    task_id: Option<String>,
    values: BTreeMap<&'a str, &'a Value>,
}

impl<'a> View<'a> {
    /// The value under a key.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.values.get(key).copied()
    }

    /// Every key with its value.
    pub fn values(&self) -> &BTreeMap<&'a str, &'a Value> {
        &self.values
    }

    /// Names the evidence: the same for the same keys and values. 32 hex digits of BLAKE3 over
    /// the JSON object of them, keys in order.
    pub fn hash(&self) -> String {
        self.hash_where(|_| true)
    }

    fn hash_where(&self, counts: impl Fn(&str) -> bool) -> String {
        let mut hasher = blake3::Hasher::new();
        for (key, value) in self.values.iter().filter(|(key, _)| counts(key)) {
            // As JSON both end where they end, so that no two objects look alike.
            hasher.update(Value::from(*key).to_string().as_bytes());
            hasher.update(canonical(value).as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// What the evaluator said of the predicate, where it still counts. A yes stands as long as the
    /// evidence that it was about is as it was: what other tasks bring under other keys undoes no
    /// task. A no is for the evidence as it was and for no more, since more may be what it wants.
    pub fn judged(&self, predicate: &Value) -> Option<bool> {
        let key = (self.task_id.clone(), predicate.to_string());
        let Answer { judged, keys } = self.evidence.answers.get(&key)?;
        let hash = match judged.satisfied {
            true => self.hash_where(|key| keys.contains(key)),
            false => self.hash(),
        };
        (judged.evidence_hash.as_deref() == Some(&*hash)).then_some(judged.satisfied)
    }
}

/// The value as JSON with its fields sorted at every depth.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            let fields = sorted.into_iter();
            let fields =
                fields.map(|(k, v)| format!("{}:{}", Value::from(k.as_str()), canonical(v)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn evidence(given: &[(Option<&str>, &str, i64)]) -> Evidence {
        let mut evidence = Evidence::default();
        for (task, key, value) in given {
            evidence.give(Given {
                task_id: task.map(str::to_owned),
                key: (*key).to_owned(),
                value: json!(value),
                source: None,
                at: String::new(),
            });
        }
        evidence
    }

    #[test]
    fn a_task_sees_its_own_then_its_ancestors_then_the_goals_latest() {
        let evidence = evidence(&[
            (Some("1"), "k", 1),
            (Some("1.1"), "k", 2),
            (Some("2"), "k", 3),
            (None, "other", 4),
        ]);
        let seen = |path: &[&str]| evidence.seen_by(path).value("k").cloned().unwrap();
        assert_eq!(seen(&["1", "1.1"]), 2);
        assert_eq!(seen(&["1", "1.2"]), 1);
        assert_eq!(seen(&["1"]), 1);
        assert_eq!(seen(&["2"]), 3);
        assert_eq!(seen(&["3"]), 3, "the goal's latest");
        assert_eq!(seen(&[]), 3);
        assert_eq!(evidence.seen_by(&["1"]).value("other"), Some(&json!(4)));
        assert_eq!(evidence.seen_by(&["1"]).value("none"), None);
    }

    #[test]
    fn what_a_task_gave_is_gone_with_it() {
        let mut evidence = evidence(&[(Some("1"), "k", 1), (Some("2"), "k", 2)]);
        evidence.drop_of("2");
        assert_eq!(evidence.seen_by(&[]).value("k"), Some(&json!(1)));
        evidence.drop_of("1");
        assert_eq!(evidence.seen_by(&["1"]).value("k"), None);
    }

    #[test]
    fn a_judgement_is_for_the_evidence_that_it_was_made_on() {
        let mut evidence = evidence(&[(Some("1"), "k", 1)]);
        let predicate = json!({ "name": "paid" });
        let judged = |satisfied, hash: String| Judged {
            satisfied,
            reasoning: None,
            evidence_hash: Some(hash),
        };
        let hash = evidence.seen_by(&["1"]).hash();
        evidence.judge(Some("1".into()), &predicate, judged(true, hash));
        assert_eq!(evidence.seen_by(&["1"]).judged(&predicate), Some(true));
        assert_eq!(
            evidence.seen_by(&["2"]).judged(&predicate),
            None,
            "another task's"
        );
        let another = |key: &str, value: Value| Given {
            key: key.into(),
            value,
            ..evidence.given[0].clone()
        };
        let (more, other) = (another("l", json!(2)), another("k", json!(2)));
        evidence.give(more);
        assert_eq!(
            evidence.seen_by(&["1"]).judged(&predicate),
            Some(true),
            "what it was said of is as it was"
        );
        evidence.give(other);
        assert_eq!(
            evidence.seen_by(&["1"]).judged(&predicate),
            None,
            "other evidence"
        );
    }

    #[test]
    fn a_no_is_for_no_more_evidence_and_a_task_done_again_is_judged_again() {
        let mut evidence = evidence(&[(Some("1"), "k", 1)]);
        let predicate = json!("p");
        let say = |evidence: &mut Evidence, satisfied| {
            let judged = Judged {
                satisfied,
                reasoning: None,
                evidence_hash: Some(evidence.seen_by(&["2"]).hash()),
            };
            evidence.judge(Some("2".into()), &predicate, judged);
        };
        say(&mut evidence, false);
        assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), Some(false));
        let more = Given {
            key: "l".into(),
            ..evidence.given[0].clone()
        };
        evidence.give(more);
        assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), None);
        say(&mut evidence, true);
        assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), Some(true));
        evidence.drop_of("2");
        assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), None);
    }

    #[test]
    fn the_order_of_fields_makes_no_other_evidence() {
        let hash = |value: &str| {
            let mut evidence = Evidence::default();
            evidence.give(Given {
                task_id: None,
                key: "k".into(),
                value: serde_json::from_str(value).unwrap(),
                source: None,
                at: String::new(),
            });
            evidence.seen_by(&[]).hash()
        };
        assert_eq!(
            hash(r#"{"a":1,"b":[{"c":1,"d":2}]}"#),
            hash(r#"{"b":[{"d":2,"c":1}],"a":1}"#)
        );
        assert_ne!(hash(r#"{"a":1}"#), hash(r#"{"a":2}"#));
        assert_ne!(hash(r#"["a","b"]"#), hash(r#"["b","a"]"#));
    }
}
