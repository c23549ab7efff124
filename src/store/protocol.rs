//! What `goal` and a helper say to each other (docs/stores.md): one JSON object a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::id::{EventId, GoalId};
use crate::domain::lease::Claim;

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// What is asked of a helper.
#[derive(Debug, Clone, Serialize)]
#[serde(
    tag = "verb",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum Request<'a> {
    Hello {
        versions: &'a [u32],
    },
    Begin {
        ledger: &'a str,
        from: u64,
        wait_ms: u64,
    },
    Append {
        after: u64,
        lines: &'a [Line<'a>],
        #[serde(skip_serializing_if = "Option::is_none")]
        lease: Option<&'a Claim>,
    },
    Watch {
        ledger: &'a str,
        from: u64,
        wait_ms: u64,
    },
    Create {
        ledger: &'a str,
    },
    Ledgers,
    Lease {
        ledger: &'a str,
        goal: &'a GoalId,
        #[serde(flatten)]
        act: LeaseAct<'a>,
    },
}

/// What is done with a goal's lease.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "act", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum LeaseAct<'a> {
    Acquire { holder: &'a str, ttl_ms: u64 },
    Renew { token: u64, ttl_ms: u64 },
    Release { token: u64 },
}

/// A line to be appended, and its id, which is there once in a ledger.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Line<'a> {
    pub id: Option<EventId>,
    pub line: &'a str,
}

/// A line of what a helper answers. Which fields it has depends on what was asked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelperAnswer {
    pub ok: Option<bool>,
    pub error: Option<Refusal>,
    pub line: Option<String>,
    pub end: Option<u64>,
    pub warnings: Vec<Warning>,
    pub version: Option<u32>,
    pub name: Option<String>,
    pub can: Vec<String>,
    pub created: Option<bool>,
    pub ledger: Option<String>,
    pub lines: Option<u64>,
    pub at: Option<String>,
    pub token: Option<u64>,
}

/// Why a helper did not do what was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Refusal {
    pub code: String,
    pub message: String,
    /// Of `held`: who has the lease, and for how many more milliseconds.
    pub holder: String,
    #[serde(rename = "leftMs")]
    pub left_ms: u64,
}

/// Something about the store that people should know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Warning {
    pub code: String,
    pub message: String,
}

/// Whether a store can have a ledger of this name.
pub fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    (1..=200).contains(&name.len()) && name.bytes().all(fits)
}
