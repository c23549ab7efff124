//! Events of progress: baseline, evaluations, escalations, agenda.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::score::Score;
use crate::domain::wire::body::plain;
use crate::domain::wire::lenient;

plain! {
    /// How things stood when the goal was created; only progress since counts.
    BaselineCaptured { text: String, ; command: String, }
    /// An evaluation. A score suggests, it never completes.
    ProgressEvaluated {
        score: Score,
        gap_analysis: String,
        should_escalate: bool,
        ;
        reasoning: String,
        /// `evaluator` where that role was asked, nothing where somebody gave the score.
        source: String,
    }
    /// A new plan was called for.
    GoalEscalated { reason: String, score_before: Score, }
    /// The goal turned out harder than it was taken to be.
    DifficultyUpgraded { from: Difficulty, to: Difficulty, }
    /// One extra escalation was granted.
    RunwayGranted { }
    /// The agent's own list of steps.
    AgendaSet { steps: Vec<AgendaStep>, }
}

/// One step of an agenda.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct AgendaStep {
    /// What is done, in a word.
    pub skill: String,
    /// To what.
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Why the step matters.
    pub purpose: String,
    pub done: bool,
}

lenient::objects_only!(AgendaStep);
