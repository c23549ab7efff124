//! What the evaluator is asked about a goal's progress; a published schema
//! (`goal schema evaluator-progress-input`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::progress::history::Score;

/// What the evaluator reads from stdin when it is asked for a score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressQuestion {
    /// `progress`: the question about a predicate has no such field.
    pub question: &'static str,
    /// What to do with the rest and how to answer, for evaluators that are language models.
    pub instructions: String,
    pub goal_id: String,
    pub objective: String,
    pub success_criteria: Vec<String>,
    /// Observable signs of progress.
    pub progress_signal: Option<String>,
    /// Observable signs of failure.
    pub failure_signal: Option<String>,
    /// The finish line, as a machine could check it.
    pub completion_condition: Option<String>,
    /// How things stood when the goal was created; only progress since counts.
    pub baseline: Option<String>,
    /// The latest scores, oldest first, at most eight.
    pub scores: Vec<Score>,
    /// What was missing at the latest evaluation.
    pub gap_analysis: Option<String>,
    /// All evidence of the goal, by key.
    pub evidence: BTreeMap<String, Value>,
    /// A line for each task, with its mark.
    pub tasks: Vec<String>,
    /// The latest notes, oldest first.
    pub notes: Vec<String>,
    /// Checkpoints are complete since the latest evaluation: should the plan be revised?
    pub review_plan: bool,
}
