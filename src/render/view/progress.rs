//! A goal's progress: scores, what they suggest, and the agenda.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::Goal;
use crate::domain::progress::advice::{Advice, advice};
use crate::domain::progress::escalation::allowed;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::{AgendaStep, Baseline, Escalation, Evaluation};

/// How far a goal is, as far as anybody said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    /// How things stood when the goal was created; only progress since counts.
    pub baseline: Option<Baseline>,
    /// The latest scores, oldest first, at most eight.
    pub scores: Vec<Score>,
    pub latest_evaluation: Option<Evaluation>,
    /// What the scores and escalations suggest. Nothing follows by itself.
    pub advice: Advice,
    /// The difficulty that counts: the contract's, or what the goal turned out to be.
    pub difficulty: Difficulty,
    pub escalations: EscalationsView,
    pub latest_escalation: Option<Escalation>,
    /// One more escalation was granted.
    pub runway_granted: bool,
    /// How many evaluations there were.
    pub evaluations: u64,
    /// How many iterations there were.
    pub ticks: u64,
    pub agenda: Vec<AgendaStep>,
}

/// What became of escalations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EscalationsView {
    /// After these the score rose.
    pub productive: u64,
    pub unproductive: u64,
    /// No evaluation followed these yet.
    pub waiting: u64,
    /// So many unproductive ones spend them.
    pub allowed: u64,
}

impl ProgressView {
    /// The view of a goal's progress; nothing where nothing was recorded.
    pub fn of(goal: &Goal) -> Option<ProgressView> {
        let progress = &goal.progress;
        if progress.is_empty() {
            return None;
        }
        let difficulty = progress.tier(goal.contract.difficulty);
        Some(ProgressView {
            baseline: progress.baseline.clone(),
            scores: progress.history.scores().collect(),
            latest_evaluation: progress.latest.clone(),
            advice: advice(progress, goal.contract.difficulty),
            difficulty,
            escalations: EscalationsView {
                productive: progress.escalations.productive,
                unproductive: progress.escalations.unproductive,
                waiting: progress.escalations.waiting(),
                allowed: allowed(difficulty) + u64::from(progress.runway),
            },
            latest_escalation: progress.escalated.clone(),
            runway_granted: progress.runway,
            evaluations: progress.evaluations,
            ticks: progress.ticks,
            agenda: progress.agenda.clone(),
        })
    }
}
