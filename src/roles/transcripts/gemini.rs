//! Gemini CLI: a line for each message, of the user or of the model, and again when it changes. Lines
//! that replace the whole list begin with `$set`.

use serde_json::Value;

use super::{LineTold, number, text, texts, uncached};
use crate::domain::cost::state::{TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn told(line: &Value) -> Vec<LineTold> {
    match text(line, &["type"]) {
        Some("user") if !is_result(line) => vec![LineTold::Word],
        Some("gemini") => {
            let calls = line.get("toolCalls").and_then(Value::as_array);
            let calls = calls.into_iter().flatten();
            let call = |call: &Value| LineTold::Call {
                tool: text(call, &["name"]).unwrap_or_default().to_owned(),
                arguments: texts(&call["args"]),
            };
            calls.map(call).chain(cost(line)).collect()
        }
        _ => Vec::new(),
    }
}

/// What tools answered stands there as a message of the user.
fn is_result(line: &Value) -> bool {
    let parts = line.get("content").and_then(Value::as_array);
    let mut parts = parts.into_iter().flatten();
    parts.any(|part| part.get("functionResponse").is_some())
}

/// Input tokens have those from a cache in them; thoughts are written too.
fn cost(line: &Value) -> Option<LineTold> {
    let usage = line.get("tokens")?;
    let cached = number(usage, &["cached"]);
    let all = number(usage, &["input"]);
    Some(LineTold::Cost {
        answer: text(line, &["id"])?.to_owned(),
        counters: vec![
            (TOKENS_IN, uncached(all, cached)),
            (TOKENS_CACHED, cached),
            (TOKENS_OUT, number(usage, &["output"])),
            (TOKENS_OUT, number(usage, &["thoughts"])),
        ],
        model: text(line, &["model"]).map(str::to_owned),
    })
}
