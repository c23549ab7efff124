//! The summarizer: sums up what happened so far, so that the next phase starts from that. What it
//! is asked, and what it must answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::roles::reply::{Asked, says};

/// What the summarizer reads from stdin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summarizing {
    pub goal_id: String,
    pub objective: String,
    /// The summary that is in force, which the new one replaces.
    pub previous_summary: Option<String>,
    /// What happened since, oldest first, a line an event.
    pub history: Vec<String>,
    /// The most tokens of the answer; a token is four bytes.
    pub max_tokens: usize,
}

/// What the summarizer must write to stdout, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summing {
    pub summary: String,
}

impl Asked for Summarizing {
    type Reply = Summing;
    const REPLY: &str = "summarizer-reply";

    fn sound(reply: &Summing) -> Result<(), String> {
        says("summary", &reply.summary)
    }
}
