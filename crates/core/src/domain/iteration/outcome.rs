//! What one check of an iteration said, and how iterations end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::wire::lenient;

/// What one rule said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct RuleResult {
    pub pass: bool,
    pub message: String,
}

/// How a check stood in one iteration of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct CheckSeen {
    pub pass: bool,
    /// A name of what it wrote, without what differs each time it runs.
    pub output: String,
}

/// How a loop of tries ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IterationOutcome {
    Success,
    Blocked,
    MaxIterations,
}

lenient::objects_only!(RuleResult);
lenient::objects_only!(CheckSeen);

/// An iteration that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub id: String,
    pub task: Option<String>,
    pub most: Option<u64>,
    pub outcome: IterationOutcome,
    pub summary: String,
    /// How many iterations there were.
    pub total_iterations: u64,
    /// Its lines count from 0, as those of earlier versions may.
    pub from_zero: bool,
    pub elapsed_ms: u64,
}
