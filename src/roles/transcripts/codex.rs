//! Codex: a rollout. `response_item` lines are what the model said and called, `event_msg` lines what
//! happened around it: the user's messages, and the count of tokens after each answer.

use serde_json::Value;

use super::{LineTold, number, text, texts, uncached};
use crate::domain::cost::state::{TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn told(line: &Value) -> Vec<LineTold> {
    let Some(payload) = line.get("payload") else {
        return Vec::new();
    };
    let kind = text(payload, &["type"]).unwrap_or_default();
    match text(line, &["type"]) {
        Some("event_msg") if is_word(kind, payload) => vec![LineTold::Word],
        Some("event_msg") if kind == "token_count" => cost(payload).into_iter().collect(),
        Some("response_item") if kind.ends_with("_call") => {
            let [space, name] = ["namespace", "name"].map(|it| text(payload, &[it]));
            let tool = [space, name].into_iter().flatten().collect::<Vec<_>>();
            let mut arguments = ["arguments", "input"].iter();
            let arguments = arguments.find_map(|it| text(payload, &[it]));
            let arguments = arguments.unwrap_or_default();
            // JSON in a text, or the text of a script.
            let parsed: Option<Value> = serde_json::from_str(arguments).ok();
            vec![LineTold::Call {
                tool: tool.join("__"),
                arguments: parsed.map_or_else(|| arguments.to_owned(), |it| texts(&it)),
            }]
        }
        _ => Vec::new(),
    }
}

fn is_word(kind: &str, payload: &Value) -> bool {
    kind == "user_message"
        || (kind == "item_completed" && text(payload, &["item", "type"]) == Some("UserMessage"))
}

/// After an answer Codex writes what it cost, and the sum of the session, by which the same count is
/// known again. Input tokens have those from a cache in them.
fn cost(payload: &Value) -> Option<LineTold> {
    let info = payload.get("info")?;
    let usage = info.get("last_token_usage")?;
    let cached = number(usage, &["cached_input_tokens"]);
    let all = number(usage, &["input_tokens"]);
    Some(LineTold::Cost {
        answer: info.get("total_token_usage")?.to_string(),
        counters: vec![
            (TOKENS_IN, uncached(all, cached)),
            (TOKENS_CACHED, cached),
            (TOKENS_OUT, number(usage, &["output_tokens"])),
        ],
        model: None,
    })
}
