//! GitHub Copilot CLI: a line for each event of the session.

use serde_json::Value;

use super::{LineTold, number, text, texts, uncached};
use crate::domain::cost::state::{TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};

pub(super) fn told(line: &Value) -> Vec<LineTold> {
    match text(line, &["type"]) {
        // So is what a hook told the agent to go on with.
        Some("user.message") => vec![LineTold::Word],
        Some("tool.execution_start") => vec![LineTold::Call {
            tool: called(&line["data"]),
            arguments: texts(&line["data"]["arguments"]),
        }],
        Some("session.usage_record") => cost(&line["data"]["usage"]).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether the agent stops by the last of these lines about a stop: its hook has begun and not ended.
pub(super) fn stops(lines: &str) -> bool {
    let mut about = lines.lines().rev();
    let about = about.find(|line| line.contains("\"hookType\":\"agentStop\""));
    about.is_some_and(|line| line.starts_with("{\"type\":\"hook.start\""))
}

/// A tool of a server with the server's name before it, as other hosts write it.
fn called(call: &Value) -> String {
    let name = |key| text(call, &[key]);
    match (name("mcpServerName"), name("mcpToolName")) {
        (Some(server), Some(tool)) => format!("mcp__{server}__{tool}"),
        _ => name("toolName").unwrap_or_default().to_owned(),
    }
}

fn cost(usage: &Value) -> Option<LineTold> {
    let cached = number(usage, &["cacheReadTokens"]);
    Some(LineTold::Cost {
        answer: text(usage, &["apiCallId"])?.to_owned(),
        counters: vec![
            (TOKENS_IN, uncached(number(usage, &["inputTokens"]), cached)),
            (TOKENS_CACHED, cached),
            (TOKENS_OUT, number(usage, &["outputTokens"])),
        ],
        model: text(usage, &["model"]).map(str::to_owned),
    })
}
