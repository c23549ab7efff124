//! Gemini CLI, `--output-format json`: one object, with the last message in `response` and what each
//! model was asked in `stats`. Prompt tokens have those from a cache in them; thoughts are written
//! too. What went wrong it writes to stderr, and an object with `error` some versions to stdout.

use serde_json::Value;

use super::{HostReport, number, sum, uncached};
use crate::domain::cost::state::{LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn read(output: &Value) -> Option<HostReport> {
    let message = output.get("response").and_then(Value::as_str);
    let failed = output.get("error").filter(|error| !error.is_null());
    if message.is_none() && failed.is_none() {
        return None;
    }
    let failed = failed.map(|error| error["message"].as_str().unwrap_or("it failed"));
    let mut report = HostReport::of(message, failed);
    let models = output.get("stats").and_then(|stats| stats.get("models"));
    let models = models.and_then(Value::as_object);
    for (_, used) in models.into_iter().flatten() {
        let cached = number(used, &["tokens", "cached"]);
        let prompt = number(used, &["tokens", "prompt"]);
        let thoughts = number(used, &["tokens", "thoughts"]);
        let written = number(used, &["tokens", "candidates"]);
        report.add(TOKENS_IN, uncached(prompt, cached));
        report.add(TOKENS_CACHED, cached);
        report.add(TOKENS_OUT, sum(written, thoughts));
        report.add(LLM_CALLS, number(used, &["api", "totalRequests"]));
    }
    let mut names = models.into_iter().flat_map(|models| models.keys());
    let only = names.next().filter(|_| names.next().is_none());
    Some(report.with_model(only.map(String::as_str)))
}
