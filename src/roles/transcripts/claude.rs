//! Claude Code: `user` lines are words, results of tools and what hooks said; `assistant` lines are
//! parts of one answer each, with that answer's id and usage.

use serde_json::Value;

use super::{LineTold, number, text, texts};
use crate::domain::cost::state::{TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn told(line: &Value) -> Vec<LineTold> {
    // A line of a subagent.
    if line.get("isSidechain") == Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let content = line.get("message").and_then(|it| it.get("content"));
    match (text(line, &["type"]), content) {
        (Some("user"), Some(content)) if is_word(line, content) => vec![LineTold::Word],
        (Some("assistant"), Some(Value::Array(parts))) => {
            let calls = parts.iter().filter_map(call);
            calls.chain(cost(&line["message"])).collect()
        }
        _ => Vec::new(),
    }
}

fn is_word(line: &Value, content: &Value) -> bool {
    if line.get("isMeta") == Some(&Value::Bool(true)) {
        return false;
    }
    match content {
        Value::String(said) => !said.starts_with("Stop hook feedback:"),
        Value::Array(parts) => parts.iter().any(|part| part["type"] == "text"),
        _ => false,
    }
}

fn call(part: &Value) -> Option<LineTold> {
    (part["type"] == "tool_use").then(|| LineTold::Call {
        tool: text(part, &["name"]).unwrap_or_default().to_owned(),
        arguments: texts(&part["input"]),
    })
}

fn cost(message: &Value) -> Option<LineTold> {
    let usage = message.get("usage")?;
    let model = text(message, &["model"]);
    // What Claude Code writes itself in place of an answer.
    if model == Some("<synthetic>") {
        return None;
    }
    let written = number(usage, &["cache_creation_input_tokens"]);
    let fresh = number(usage, &["input_tokens"]);
    Some(LineTold::Cost {
        answer: text(message, &["id"])?.to_owned(),
        counters: vec![
            (TOKENS_IN, fresh),
            (TOKENS_IN, written),
            (TOKENS_CACHED, number(usage, &["cache_read_input_tokens"])),
            (TOKENS_OUT, number(usage, &["output_tokens"])),
        ],
        model: model.map(str::to_owned),
    })
}
