//! Events of iterations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::wire::body::plain;
use crate::domain::wire::lenient;

plain! {
    /// A loop of tries began.
    IterationStarted {
        iteration_id: String,
        completion_promises: Vec<String>,
        rules: Vec<String>,
        ;
        task_id: String,
        max_iterations: u64,
        /// How long one iteration may take; more is said, and stops nothing.
        timeout_ms: u64,
    }
    /// The rules were run.
    IterationValidated {
        iteration_id: String,
        #[serde(deserialize_with = "lenient::count")]
        iteration: u64,
        results: BTreeMap<String, RuleResult>,
        ;
        signal: String,
        /// The run that it was an iteration of.
        run_id: String,
        /// How the agent's process ended, where it did not end well.
        agent: String,
        /// The work tree's commit, and whether something is not committed.
        head: String,
        dirty: bool,
    }
    /// The next try began.
    IterationAdvanced {
        iteration_id: String,
        #[serde(deserialize_with = "lenient::count")]
        iteration: u64,
        ;
        learned: String,
    }
    /// The loop ended.
    IterationCompleted {
        iteration_id: String,
        outcome: IterationOutcome,
        summary: String,
        #[serde(deserialize_with = "lenient::count")]
        total_iterations: u64,
        #[serde(deserialize_with = "lenient::count")]
        elapsed_ms: u64,
    }
}

/// What one rule said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct RuleResult {
    pub pass: bool,
    pub message: String,
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
