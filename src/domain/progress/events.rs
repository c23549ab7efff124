//! Events of progress and cost (DESIGN §3.4).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::events::plain;
use crate::domain::wire::body::Plain;
use crate::domain::wire::flat::{Flat, name};
use crate::domain::wire::lenient;

plain! {
    /// How things stood when the goal was created; only progress since counts.
    BaselineCaptured { text: String, ; command: String, }
    /// An evaluation. A score suggests, it never completes.
    ProgressEvaluated {
        /// From 0 to 1.
        score: f64,
        gap_analysis: String,
        should_escalate: bool,
        ;
        reasoning: String,
    }
    /// A new plan was called for.
    GoalEscalated { reason: String, score_before: f64, }
    /// The goal turned out harder than it was taken to be.
    DifficultyUpgraded { from: Difficulty, to: Difficulty, }
    /// One extra escalation was granted.
    RunwayGranted { }
    /// The agent's own list of steps.
    AgendaSet { steps: Vec<AgendaStep>, }
    /// What something cost; counters are free.
    UsageRecorded { counters: BTreeMap<String, f64>, ; model: String, task_id: String, }
    /// The user's limits, by name.
    BudgetSet { limits: BTreeMap<String, f64>, }
}

/// One step of an agenda.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgendaStep {
    pub skill: String,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub purpose: String,
    pub done: bool,
}
