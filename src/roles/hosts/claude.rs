//! Claude Code, `--verbose --output-format stream-json`: one event a line. The last one is of type `result`, with
//! the last message in `result`; where it has none, the last `assistant` has it. `modelUsage` has every model
//! that was called, those of its helpers too; `usage` only the main one. Input tokens leave out what came from
//! a cache. A `rate_limit_event` that was rejected says when the limit is lifted.

use serde_json::Value;

use super::{HostReport, number, sum};
use crate::domain::cost::state::{COST_USD, LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

/// How lines begin that are not needed: what tools brought.
pub(super) const UNNEEDED: &[&str] = &[r#"{"type":"user""#];

pub(super) fn read(events: impl Iterator<Item = Value>) -> Option<HostReport> {
    let mut begun = false;
    let (mut result, mut said, mut lifted_at) = (None, None, None);
    for event in events {
        match event.get("type").and_then(Value::as_str) {
            Some("system") => begun |= event["subtype"] == "init",
            Some("assistant") => said = text_of(&event["message"]).or(said),
            Some("rate_limit_event") => lifted_at = rejected_until(&event).or(lifted_at),
            Some("result") => result = Some(event),
            _ => {}
        }
    }
    let report = match result {
        Some(result) => of_result(&result, said.as_deref()),
        // It was killed before it was done.
        None if begun || said.is_some() => HostReport::of(said.as_deref(), None),
        None => return None,
    };
    Some(HostReport {
        lifted_at: lifted_at.filter(|_| report.failed.is_some()),
        ..report
    })
}

fn of_result(output: &Value, said: Option<&str>) -> HostReport {
    let message = output.get("result").and_then(Value::as_str);
    let message = message.filter(|it| !it.trim().is_empty()).or(said);
    let is_error = output.get("is_error").and_then(Value::as_bool) == Some(true);
    let kind = output.get("subtype").and_then(Value::as_str);
    let failed = message.or(kind).filter(|_| is_error);
    let mut report = HostReport::of(message, failed);
    // Beside the message, whose words change with versions and languages.
    if let Some(status) = output.get("api_error_status").and_then(Value::as_u64) {
        report.failed = report.failed.map(|why| format!("error {status}: {why}"));
    }
    let models = output.get("modelUsage").and_then(Value::as_object);
    let models = models.filter(|models| !models.is_empty());
    for (_, used) in models.into_iter().flatten() {
        let written = number(used, &["cacheCreationInputTokens"]);
        report.add(TOKENS_IN, sum(number(used, &["inputTokens"]), written));
        report.add(TOKENS_CACHED, number(used, &["cacheReadInputTokens"]));
        report.add(TOKENS_OUT, number(used, &["outputTokens"]));
    }
    if let (None, Some(used)) = (models, output.get("usage")) {
        let written = number(used, &["cache_creation_input_tokens"]);
        report.add(TOKENS_IN, sum(number(used, &["input_tokens"]), written));
        report.add(TOKENS_CACHED, number(used, &["cache_read_input_tokens"]));
        report.add(TOKENS_OUT, number(used, &["output_tokens"]));
    }
    report.add(COST_USD, number(output, &["total_cost_usd"]));
    report.add(LLM_CALLS, number(output, &["num_turns"]));
    let mut names = models.into_iter().flat_map(|models| models.keys());
    let only = names.next().filter(|_| names.next().is_none());
    report.with_model(only.map(String::as_str))
}

/// The text of a message; nothing where it has none.
fn text_of(message: &Value) -> Option<String> {
    let parts = message.get("content").and_then(Value::as_array);
    let texts = parts.into_iter().flatten();
    let texts: Vec<&str> = texts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let text = texts.join("\n");
    (!text.trim().is_empty()).then_some(text)
}

/// When the limit is lifted that a request was refused for.
fn rejected_until(event: &Value) -> Option<i64> {
    let info = event.get("rate_limit_info")?;
    let is_rejected = info.get("status").and_then(Value::as_str) == Some("rejected");
    info.get("resetsAt").filter(|_| is_rejected)?.as_i64()
}
