//! Claude Code, `--output-format json`: one object of type `result`, with the last message in
//! `result`. `modelUsage` has every model that was called, those of its helpers too; `usage` only the
//! main one. Input tokens leave out what came from a cache.

use serde_json::Value;

use super::{HostReport, number, sum};
use crate::domain::cost::state::{COST_USD, LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn read(output: &Value) -> Option<HostReport> {
    if output.get("type")?.as_str()? != "result" {
        return None;
    }
    let message = output.get("result").and_then(Value::as_str);
    let is_error = output.get("is_error").and_then(Value::as_bool) == Some(true);
    let kind = output.get("subtype").and_then(Value::as_str);
    let failed = message.or(kind).filter(|_| is_error);
    let mut report = HostReport::of(message, failed);
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
    Some(report.with_model(only.map(String::as_str)))
}
