//! The envelope: exactly one JSON document on stdout, in every state
//! (docs/design/surfaces.md#one-answer).

use serde_json::{Map, Value, json};

use crate::domain::diagnostic::Diagnostic;
use crate::ops::failure::Failure;

/// The document of a call that did what was asked. `name` is the command's.
pub fn success(name: &str, root: Option<&str>, data: Value, stop_turn: bool) -> Value {
    let mut envelope = head(true, name, root);
    envelope.insert("data".into(), data);
    envelope.insert("stopTurn".into(), stop_turn.into());
    Value::Object(envelope)
}

/// The document of a call that did not, or that has findings: then the full data is there too.
pub fn failure(name: &str, root: Option<&str>, failure: &Failure, data: Option<Value>) -> Value {
    let mut envelope = head(false, name, root);
    let error = json!({
        "code": failure.code,
        "message": failure.message,
        "hint": failure.hint,
        "retryable": failure.retryable,
    });
    envelope.insert("error".into(), error);
    if let Some(data) = data {
        envelope.insert("data".into(), data);
    }
    Value::Object(envelope)
}

/// The same document with what there is to know of the ledger's place, where there is something.
pub fn noticing(mut envelope: Value, notices: &[Diagnostic]) -> Value {
    if let (Value::Object(fields), false) = (&mut envelope, notices.is_empty()) {
        fields.insert("notices".into(), json!(notices));
    }
    envelope
}

fn head(ok: bool, name: &str, root: Option<&str>) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("ok".into(), ok.into());
    head.insert("schema".into(), format!("goal/{name}/1").into());
    if let Some(root) = root {
        head.insert("root".into(), root.into());
    }
    head
}
