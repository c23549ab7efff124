//! Progress: evaluations, escalations, agendas; the rules that judge scores, each a table with its
//! tests. What progress comes to is advice: nothing here ends or completes a goal.
//!
//! What somebody wants recorded of a goal's progress, before anybody decided whether it may be.
//!
//! Steps of an agenda as somebody gives them: strictly, unlike events.
//!
//! What the evaluator is asked about a goal's progress; a published schema
//! (`goal schema evaluator-progress-input`).

pub mod advice;
pub mod escalation;
pub mod history;
pub mod state;
pub mod tick;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::event::{AgendaSet, BaselineCaptured, GoalNoted, GoalWaiting};
use crate::domain::progress::history::Score;
use crate::domain::progress::state::AgendaStep;
use crate::domain::task::plan::PlanRequest;

/// A command on the progress of one goal.
#[derive(Debug, Clone, PartialEq)]
pub enum ProgressCommand {
    /// An evaluation, with whatever follows from it.
    Evaluate(Evaluated),
    /// A note, with the steps and the evaluation that go with it: all of it or nothing.
    Note {
        noted: GoalNoted,
        /// In place of the agenda; one that is on record already changes nothing.
        steps: Option<AgendaSet>,
        evaluated: Option<Evaluated>,
        /// What work waits for from then on.
        waits: Option<GoalWaiting>,
    },
    /// How things stood before any work: the user's words, or a check's output with its name.
    Baseline(BaselineCaptured),
    /// Calls for a new plan, which is about to be asked for.
    Escalate { reason: String, wanted: PlanRequest },
    /// Puts these steps in place of the agenda.
    SetAgenda(AgendaSet),
    /// One step of the agenda, from 1, is done.
    AgendaDone { step: usize },
    /// Gives the goal up, if that is what its progress suggests: `system`'s alone, where the
    /// configuration says so.
    GiveUp,
}

/// What an evaluation says.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Held to be from 0 to 1 when it is decided.
    pub score: f64,
    pub gap_analysis: String,
    pub should_escalate: bool,
    pub reasoning: Option<String>,
    /// The evaluator said so, not the caller.
    pub by_evaluator: bool,
}

impl ProgressCommand {
    /// The word for evaluating; its request keys are looked up before the evaluator is asked.
    pub const EVALUATE: &'static str = "evaluate";
    /// The word for baselines; its request keys are looked up before a command runs.
    pub const BASELINE: &'static str = "baseline";

    /// The word by which messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            ProgressCommand::Evaluate(_) => ProgressCommand::EVALUATE,
            ProgressCommand::Note { .. } => "note",
            ProgressCommand::Baseline(_) => ProgressCommand::BASELINE,
            ProgressCommand::Escalate { .. } => "escalate",
            ProgressCommand::SetAgenda(_) => "agenda set",
            ProgressCommand::AgendaDone { .. } => "agenda done",
            ProgressCommand::GiveUp => "abandon by itself",
        }
    }
}

/// One step of an agenda.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepGiven {
    /// What is done, in a word.
    pub skill: String,
    /// To what.
    pub target: Option<String>,
    /// Why the step matters.
    pub purpose: String,
    /// It is done already.
    #[serde(default)]
    pub done: bool,
}

impl From<StepGiven> for AgendaStep {
    fn from(given: StepGiven) -> AgendaStep {
        AgendaStep {
            skill: given.skill,
            target: given.target,
            purpose: given.purpose,
            done: given.done,
        }
    }
}

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

#[cfg(test)]
mod testing;
