//! What a primitive task does, as its predicate says. `ops::step` performs it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::task::condition::{Condition, EvidenceKey};
use crate::domain::task::evidence::View;
use crate::domain::task::question::QuestionKind;
use crate::domain::task::spec::TaskSpec;

/// A primitive task's predicate with what it needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Primitive {
    /// Runs a configured tool; its result becomes evidence under `key`.
    UseTool { tool: String, key: EvidenceKey },
    /// Asks the user; the answer becomes evidence.
    Ask(Ask),
    /// Shows evidence to the user.
    Present,
    /// The agent's own work; also what a task without a predicate is.
    Execute,
    /// It cannot be performed; `problem` says why.
    Unusable { problem: String },
}

/// A question that a task puts to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    pub kind: QuestionKind,
    pub question: String,
    pub suggestions: Vec<String>,
    pub key: EvidenceKey,
}

impl Primitive {
    /// What this task does. Its evidence key is `args.key`, else that of its first `hasEvidence`
    /// condition, else the tool's name, `confirmation` or `answer`.
    pub fn of(task: &TaskSpec) -> Primitive {
        let Some(pred) = &task.pred else {
            return Primitive::Execute;
        };
        let arg = |name: &str| pred.args[name].as_str().filter(|text| !text.is_empty());
        let key_or = |other: &str| key(task).unwrap_or_else(|| other.into());
        match pred.name.as_str() {
            "execute" => Primitive::Execute,
            "present_info" => Primitive::Present,
            "use_tool" => match arg("tool") {
                Some(tool) => Primitive::UseTool {
                    tool: tool.to_owned(),
                    key: key_or(tool),
                },
                None => unusable("its `use_tool` names no `tool`"),
            },
            "gather_info" => {
                let key = key_or("answer");
                let asked = arg("prompt").or(arg("question"));
                Primitive::Ask(Ask {
                    kind: QuestionKind::Info,
                    question: asked.map_or_else(|| format!("Please give {key}"), str::to_owned),
                    suggestions: texts(&pred.args["suggestions"]),
                    key,
                })
            }
            "confirm" => Primitive::Ask(Ask {
                kind: QuestionKind::Confirm,
                question: arg("question")
                    .or(arg("prompt"))
                    .unwrap_or(&task.title)
                    .to_owned(),
                suggestions: vec!["yes".to_owned(), "no".to_owned()],
                key: key_or("confirmation"),
            }),
            other => unusable(&format!("nothing performs a `{other}`")),
        }
    }

    /// The evidence key of a question to be confirmed: only the user's answer may fill it.
    pub fn confirms(&self) -> Option<&EvidenceKey> {
        match self {
            Primitive::Ask(ask) if ask.kind == QuestionKind::Confirm => Some(&ask.key),
            _ => None,
        }
    }
}

/// Whether the program or the user performs the task itself, so that no tasks are below it.
pub fn is_indivisible(task: &TaskSpec) -> bool {
    let by_others = ["use_tool", "gather_info", "confirm", "present_info"];
    let name = task.pred.as_ref().map(|pred| pred.name.as_str());
    name.is_some_and(|name| by_others.contains(&name))
}

fn unusable(problem: &str) -> Primitive {
    Primitive::Unusable {
        problem: problem.to_owned(),
    }
}

/// The key of a task's own evidence, if its definition names one.
pub fn key(task: &TaskSpec) -> Option<EvidenceKey> {
    let named = task.pred.as_ref().and_then(|it| it.args["key"].as_str());
    let mut conditions = task.done_when.iter().map(Condition::of);
    let wanted = conditions.find_map(|condition| match condition {
        Condition::HasEvidence { key } => Some(key),
        _ => None,
    });
    let named = named.map(EvidenceKey::from).filter(|key| !key.is_empty());
    named.or(wanted)
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// What a `present_info` shows. If `args.keys` or `args.data` names one key or several, only the
/// evidence under these keys. If `args.data` is an object, that object. Otherwise all evidence that
/// the task sees.
///
/// # Errors
/// The first key without evidence.
pub fn shown(task: &TaskSpec, seen: &View<'_>) -> Result<BTreeMap<String, Value>, EvidenceKey> {
    let args = task.pred.as_ref().map(|pred| &pred.args);
    let of = |name: &str| args.map(|args| &args[name]).and_then(named);
    let Some(keys) = of("keys").or_else(|| of("data")) else {
        return Ok(match args.map(|args| &args["data"]) {
            Some(Value::Object(data)) if !data.is_empty() => data.clone().into_iter().collect(),
            _ => {
                let all = seen.values().into_iter();
                all.map(|(key, value)| (key.to_string(), (*value).clone()))
                    .collect()
            }
        });
    };
    let pairs = keys.into_iter().map(|key| match seen.value(&key) {
        Some(value) => Ok((key.to_string(), value.clone())),
        None => Err(key),
    });
    pairs.collect()
}

/// The keys that a value names: a text is one key, a list is several. An item of a list that is not
/// a text is no key; it is returned as it is written, so that it is reported as missing and not
/// ignored.
fn named(value: &Value) -> Option<Vec<EvidenceKey>> {
    let key = |value: &Value| match value {
        Value::String(key) => EvidenceKey::from(key.as_str()),
        other => other.to_string().into(),
    };
    match value {
        Value::String(_) => Some(vec![key(value)]),
        Value::Array(keys) => Some(keys.iter().map(key).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::task::evidence::{Evidence, EvidenceItem};

    fn task(pred: Value, done_when: Value) -> TaskSpec {
        let spec = json!({ "id": "1", "title": "a title", "pred": pred, "doneWhen": done_when });
        serde_json::from_value(spec).unwrap()
    }

    fn key_of(pred: Value, done_when: Value) -> String {
        match Primitive::of(&task(pred, done_when)) {
            Primitive::UseTool { key, .. } => key.to_string(),
            Primitive::Ask(ask) => ask.key.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_key_is_the_named_one_then_the_wanted_one_then_a_name() {
        let wanted = json!([{ "kind": "predicateTrue", "pred": "p" }, { "kind": "hasEvidence", "key": "w" }]);
        let tool = |args: Value| json!({ "name": "use_tool", "args": args });
        assert_eq!(
            key_of(tool(json!({ "tool": "t", "key": "k" })), wanted.clone()),
            "k"
        );
        assert_eq!(key_of(tool(json!({ "tool": "t" })), wanted.clone()), "w");
        assert_eq!(key_of(tool(json!({ "tool": "t" })), json!([])), "t");
        assert_eq!(key_of(json!({ "name": "confirm" }), wanted), "w");
        assert_eq!(
            key_of(json!({ "name": "confirm" }), json!([])),
            "confirmation"
        );
        assert_eq!(
            key_of(json!({ "name": "gather_info" }), json!([])),
            "answer"
        );
    }

    #[test]
    fn questions_say_what_is_wanted() {
        let question = |pred: Value| match Primitive::of(&task(pred, json!([]))) {
            Primitive::Ask(ask) => ask.question,
            other => panic!("{other:?}"),
        };
        let of = |name: &str, args: Value| question(json!({ "name": name, "args": args }));
        assert_eq!(
            of("gather_info", json!({ "key": "k", "prompt": "When?" })),
            "When?"
        );
        assert_eq!(of("gather_info", json!({ "key": "k" })), "Please give k");
        assert_eq!(of("confirm", json!({ "question": "Sure?" })), "Sure?");
        assert_eq!(of("confirm", json!({})), "a title");
    }

    #[test]
    fn what_cannot_be_performed_says_why() {
        for pred in [json!({ "name": "use_tool" }), json!({ "name": "fly" })] {
            let primitive = Primitive::of(&task(pred, json!([])));
            assert!(
                matches!(primitive, Primitive::Unusable { .. }),
                "{primitive:?}"
            );
        }
        assert_eq!(
            Primitive::of(&TaskSpec::new("1", "t")),
            Primitive::Execute,
            "a bare task is work"
        );
    }

    #[test]
    fn what_is_shown_is_what_is_named_and_nothing_is_made_up() {
        let mut evidence = Evidence::default();
        for (key, value) in [("a", 1), ("b", 2)] {
            evidence.give(EvidenceItem {
                task_id: None,
                key: key.into(),
                value: json!(value),
                source: None,
                at: "".into(),
            });
        }
        let seen = evidence.seen_by(&[]);
        let presented = |args: Value| {
            let pred = json!({ "name": "present_info", "args": args });
            super::shown(&task(pred, json!([])), &seen).map(|it| json!(it))
        };
        let shown = |data: Value| presented(json!({ "data": data }));
        assert_eq!(shown(json!("a")), Ok(json!({ "a": 1 })));
        assert_eq!(shown(json!(["a", "b"])), Ok(json!({ "a": 1, "b": 2 })));
        assert_eq!(shown(json!({})), Ok(json!({ "a": 1, "b": 2 })));
        assert_eq!(shown(json!({ "c": "own" })), Ok(json!({ "c": "own" })));
        assert_eq!(shown(json!(["a", "c"])), Err("c".into()));
        for keys in [json!("a"), json!(["a"])] {
            let only = presented(json!({ "keys": keys, "data": ["b"] }));
            assert_eq!(
                only,
                Ok(json!({ "a": 1 })),
                "what a procedure's `present` becomes"
            );
        }
        assert_eq!(presented(json!({ "keys": ["c"] })), Err("c".into()));
        assert_eq!(presented(json!({ "keys": ["a", 7] })), Err("7".into()));
        assert_eq!(presented(json!({})), Ok(json!({ "a": 1, "b": 2 })));
    }
}
