//! Gemini CLI, `--output-format stream-json`: one event a line. The pieces of the assistant's messages behind its last
//! tool are the last message; the `result` has the tokens of each model. Input tokens have those from a cache
//! in them, and the total has thoughts. It does not tell how often its model was called, so a turn counts as
//! one call. What went wrong it writes to stderr, or as an event.

use serde_json::Value;

use super::{HostReport, number, uncached};
use crate::domain::cost::state::{LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

/// How lines begin that are not needed: what tools brought.
pub(super) const UNNEEDED: &[&str] = &[r#"{"type":"tool_result""#];

pub(super) fn read(events: impl Iterator<Item = Value>) -> Option<HostReport> {
    let mut begun = false;
    let (mut message, mut failed, mut stats) = (String::new(), None, None);
    for event in events {
        match event.get("type").and_then(Value::as_str) {
            Some("init") => begun = true,
            Some("message") if event["role"] == "assistant" => {
                message += event["content"].as_str().unwrap_or_default();
            }
            Some("tool_use") => message.clear(),
            Some("error") if event["severity"] == "error" => failed = why(&event).or(failed),
            Some("result") => {
                if event["status"] == "error" {
                    let unknown = || Some("it failed".to_owned());
                    failed = why(&event["error"]).or(failed).or_else(unknown);
                }
                stats = event.get("stats").cloned();
            }
            _ => {}
        }
    }
    if !begun && stats.is_none() && message.is_empty() {
        return None;
    }
    let mut report = HostReport::of(Some(&message), failed.as_deref());
    let models = stats.as_ref().and_then(|stats| stats.get("models"));
    let models = models.and_then(Value::as_object);
    for (_, used) in models.into_iter().flatten() {
        let cached = number(used, &["cached"]);
        let read = number(used, &["input_tokens"]);
        let all = number(used, &["total_tokens"]);
        report.add(TOKENS_IN, uncached(read, cached));
        report.add(TOKENS_CACHED, cached);
        report.add(TOKENS_OUT, uncached(all, read));
    }
    report.add(LLM_CALLS, stats.is_some().then_some(1.0));
    let mut names = models.into_iter().flat_map(|models| models.keys());
    let only = names.next().filter(|_| names.next().is_none());
    Some(report.with_model(only.map(String::as_str)))
}

fn why(error: &Value) -> Option<String> {
    let message = error.get("message").and_then(Value::as_str);
    message.map(str::to_owned)
}
