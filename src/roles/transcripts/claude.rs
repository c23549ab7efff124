//! Claude Code: `user` lines are words, results of tools and what hooks said; `assistant` lines are
//! parts of one answer each, with that answer's id and usage.

use serde_json::Value;

use super::{LineTold, number, text, texts};
use crate::domain::cost::state::{TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn told(line: &Value) -> Vec<LineTold> {
    // A line of a subagent: its words and calls are not the agent's, and its cost is the goal's.
    if line.get("isSidechain") == Some(&Value::Bool(true)) {
        let is_answer = text(line, &["type"]) == Some("assistant");
        let message = line.get("message").filter(|_| is_answer);
        return message.and_then(cost).into_iter().collect();
    }
    let content = line.get("message").and_then(|it| it.get("content"));
    match (text(line, &["type"]), content) {
        (Some("queue-operation"), _) => ended(line.get("content")).into_iter().collect(),
        (Some("user"), Some(content)) if is_end(content) => {
            ended(Some(content)).into_iter().collect()
        }
        (Some("user"), Some(content)) if is_word(line, content) => vec![LineTold::Word],
        (Some("user"), Some(Value::Array(parts))) => parts.iter().filter_map(result).collect(),
        (Some("assistant"), Some(Value::Array(parts))) => {
            let calls = parts.iter().flat_map(call);
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

/// How a message begins by which the host wakes its agent.
const ENDS: [&str; 2] = ["<task-notification>", "<agent-notification>"];

/// Whether the host says that something in the background has ended.
fn is_end(content: &Value) -> bool {
    let said = content.as_str().map(str::trim_start).unwrap_or_default();
    ENDS.iter().any(|begin| said.starts_with(begin))
}

fn ended(content: Option<&Value>) -> Option<LineTold> {
    let content = content.filter(|it| is_end(it))?;
    Some(LineTold::Ended {
        text: content.as_str()?.to_owned(),
    })
}

fn call(part: &Value) -> Vec<LineTold> {
    if part["type"] != "tool_use" {
        return Vec::new();
    }
    let tool = text(part, &["name"]).unwrap_or_default();
    let input = &part["input"];
    let called = LineTold::Call {
        tool: tool.to_owned(),
        arguments: texts(input),
    };
    let is_begun = input.get("run_in_background") == Some(&Value::Bool(true));
    let call = text(part, &["id"]).filter(|_| is_begun);
    let begun = call.map(|call| LineTold::Begun {
        call: call.to_owned(),
        is_agent: matches!(tool, "Agent" | "Task"),
    });
    [Some(called), begun].into_iter().flatten().collect()
}

/// What a call came to.
fn result(part: &Value) -> Option<LineTold> {
    let call = text(part, &["tool_use_id"])?.to_owned();
    if part.get("is_error") == Some(&Value::Bool(true)) {
        return Some(LineTold::Failed { call });
    }
    let text = match &part["content"] {
        Value::Array(parts) => parts.iter().map(texts).collect::<Vec<_>>().join("\n"),
        content => texts(content),
    };
    Some(LineTold::Launched { call, text })
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
