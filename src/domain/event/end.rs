//! Events by which a goal ends without being complete, and the one that moves its document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::wire::body::plain;

plain! {
    /// The goal was given up.
    GoalAborted { reason: String, ; archive_path: String, outcome: AbortOutcome, }
    /// Another tool's failure. Read, never written.
    GoalFailed { ; reason: String, }
    /// Another tool's abandonment. Read, never written.
    GoalAbandoned { reason: String, }
    /// Another tool moved the document of an ended goal. Read, never written.
    GoalArchived { archive_path: String, }
}

/// How a goal that was given up ended; without one it is `aborted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AbortOutcome {
    Failed,
    Abandoned,
}
