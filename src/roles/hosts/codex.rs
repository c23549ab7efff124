//! Codex, `exec --json`: one event a line. The last `agent_message` is the last message. A turn that
//! ended has its `usage`, whose input tokens have those from a cache in them. Codex tells neither how
//! often its model was called nor what that cost, so a turn counts as one call.

use serde_json::Value;

use super::{HostReport, number, uncached};
use crate::domain::cost::state::{LLM_CALLS, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn read(events: impl Iterator<Item = Value>) -> Option<HostReport> {
    let mut begun = false;
    let (mut message, mut failed) = (None, None);
    let mut turns = Vec::new();
    for event in events {
        match event.get("type").and_then(Value::as_str) {
            Some("thread.started" | "turn.started") => begun = true,
            Some("item.completed") => {
                let item = event
                    .get("item")
                    .filter(|item| item["type"] == "agent_message");
                let text = item.and_then(|item| item.get("text")?.as_str());
                message = text.map(str::to_owned).or(message);
            }
            Some("turn.completed") => turns.extend(event.get("usage").cloned()),
            Some("turn.failed") => {
                let why = event["error"]["message"]
                    .as_str()
                    .unwrap_or("the turn failed");
                failed = Some(why.to_owned());
            }
            _ => {}
        }
    }
    let mut report = HostReport::of(message.as_deref(), failed.as_deref());
    for usage in &turns {
        let cached = number(usage, &["cached_input_tokens"]);
        report.add(
            TOKENS_IN,
            uncached(number(usage, &["input_tokens"]), cached),
        );
        report.add(TOKENS_CACHED, cached);
        report.add(TOKENS_OUT, number(usage, &["output_tokens"]));
        report.add(LLM_CALLS, Some(1.0));
    }
    (begun || message.is_some() || !turns.is_empty()).then_some(report)
}
