//! pi, `--mode json`: one event a line. Each answer of the model is a `message_end` of the assistant,
//! with its tokens and what they cost by the prices that pi knows; the last one's text is the last
//! message. pi exits 0 also when its model could not be asked: then the last answer says so.

use serde_json::Value;

use super::{HostReport, number, sum};
use crate::domain::cost::state::{COST_USD, LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

/// How lines begin that are not needed: parts of messages, and messages that stand there again.
pub(super) const UNNEEDED: &[&str] = &[
    r#"{"type":"message_update""#,
    r#"{"type":"message_start""#,
    r#"{"type":"tool_execution_"#,
    r#"{"type":"turn_end""#,
    r#"{"type":"agent_end""#,
    r#"{"type":"message_end","message":{"role":"toolResult""#,
    r#"{"type":"message_end","message":{"role":"user""#,
];

pub(super) fn read(events: impl Iterator<Item = Value>) -> Option<HostReport> {
    let mut begun = false;
    let mut answers = Vec::new();
    for event in events {
        match event.get("type").and_then(Value::as_str) {
            Some("session" | "agent_start") => begun = true,
            Some("message_end") if event["message"]["role"] == "assistant" => {
                answers.push(event["message"].clone());
            }
            _ => {}
        }
    }
    let last = answers.last();
    let text = last.map(said);
    let failed = last.filter(|last| failed(last)).map(|last| {
        let why = last.get("errorMessage").and_then(Value::as_str);
        why.unwrap_or("its model gave no answer")
    });
    let mut report = HostReport::of(text.as_deref(), failed);
    for answer in &answers {
        let of = |name| number(answer, &["usage", name]);
        report.add(TOKENS_IN, sum(of("input"), of("cacheWrite")));
        report.add(TOKENS_CACHED, of("cacheRead"));
        report.add(TOKENS_OUT, of("output"));
        report.add(COST_USD, number(answer, &["usage", "cost", "total"]));
        report.add(LLM_CALLS, Some(1.0));
    }
    let model = last.and_then(|last| last.get("model")?.as_str());
    (begun || !answers.is_empty()).then(|| report.with_model(model))
}

/// Whether an answer is none: the model could not be asked, or was broken off.
fn failed(answer: &Value) -> bool {
    let ended = answer.get("stopReason").and_then(Value::as_str);
    matches!(ended, Some("error" | "aborted"))
}

/// The text of an answer.
fn said(answer: &Value) -> String {
    let parts = answer.get("content").and_then(Value::as_array);
    let parts = parts.into_iter().flatten();
    let texts = parts.filter_map(|part| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}
