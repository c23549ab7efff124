//! Plans: what is to be planned, what a planner is given (`goal schema planner-input`), and what a
//! revision keeps.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::progress::history::Score;
use crate::domain::progress::state::AgendaStep;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::statuses::TaskStatuses;

/// What is to be planned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanRequest {
    /// This task, without one the goal itself.
    pub task: Option<String>,
    /// Why what is not complete yet is planned anew; a first plan has no reason.
    pub revise: Option<String>,
    /// Ordered checkpoints with success criteria.
    pub checkpoints: bool,
    /// It is escalated: the tier of the question, and tasks may be added where none is left.
    pub escalated: bool,
}

/// A plan that can be decided on.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// In order, without ids.
    pub tasks: Vec<TaskSpec>,
    pub decomp: Decomposition,
    /// `planner`, or `procedure:ID`.
    pub source: String,
}

/// What a planner gets on stdin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannerInput {
    /// What to do with the rest and how to answer, for planners that are language models.
    pub instructions: String,
    /// What is to be decomposed, in a few words.
    pub gloss: String,
    /// What is known already, by key.
    pub evidence: BTreeMap<String, Value>,
    pub context: PlanContext,
    /// Procedures that resemble it, the most relevant first.
    pub procedures: Vec<OfferedProcedure>,
    /// Only when what is not complete yet is planned anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revise: Option<Revision>,
    /// Only when ordered checkpoints are wanted: every subgoal then needs `successCriteria`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<CheckpointsWanted>,
    /// Only when the goal was escalated: how hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<PlanTier>,
    /// How far the goal is; only where it was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<PlanProgress>,
    /// The agent's own steps, with what is done of them; only where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agenda: Vec<AgendaStep>,
}

/// How much a plan is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanTier {
    /// What was planned before did not get there.
    Escalated,
}

/// How far the goal is, for a planner.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanProgress {
    /// How things stood when the goal was created.
    pub baseline: Option<String>,
    /// The latest scores from 0 to 1, oldest first, at most eight.
    pub scores: Vec<Score>,
    /// What is met, what is not.
    pub gap_analysis: String,
}

/// What surrounds the thing to be planned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanContext {
    pub goal_id: String,
    pub objective: String,
    pub success_criteria: Vec<String>,
    pub boundaries: Vec<String>,
    pub constraints: Vec<String>,
    /// The task that is planned; nothing for the goal itself.
    pub task_id: Option<String>,
    /// Titles of the tasks above it, from the top level down.
    pub above: Vec<String>,
    /// Most levels that its subgoals may still have, themselves included.
    pub levels_left: usize,
    /// Most open primitive tasks that the whole goal may have.
    pub most_open: usize,
}

/// A procedure as a planner sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedProcedure {
    pub id: String,
    pub title: String,
    pub intent: Vec<String>,
    /// How relevant it is; comparable within one list only.
    pub score: f64,
    /// In the shape in which a planner answers.
    pub subgoals: Vec<Value>,
}

/// What a revision has to respect.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    pub reason: String,
    /// Stays as it is and is not to be answered again. The last ones, where they are many.
    pub kept: Vec<KeptTask>,
    /// How many more are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_not_listed: Option<usize>,
    /// What the answer replaces. The first ones, where they are many.
    pub dropped: Vec<KeptTask>,
    /// How many more it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_not_listed: Option<usize>,
}

/// A task that a revision names; a long title is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptTask {
    pub id: String,
    pub title: String,
}

/// How many checkpoints there may be, those that are kept included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointsWanted {
    pub fewest: usize,
    pub most: usize,
}

/// Where a task of a plan comes from, as its definition keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub procedure_id: Option<String>,
    /// The procedure's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// From 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_tool: Option<String>,
    /// What made the plan, as the planner says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
}

impl Provenance {
    /// As the JSON of a definition.
    pub fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What a revision keeps of these tasks: the ended ones; of one that is open, those below it, which
/// then stand beside.
pub fn kept(specs: &[TaskSpec], standing: &TaskStatuses) -> Vec<TaskSpec> {
    let mut ended = Vec::new();
    for spec in specs {
        match standing.status(&spec.id).is_open() {
            true => ended.extend(kept(&spec.tasks, standing)),
            false => ended.push(spec.clone()),
        }
    }
    ended
}
