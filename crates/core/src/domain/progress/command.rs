//! What somebody wants recorded of a goal's progress, before anybody decided whether it may be.

use crate::domain::event::{AgendaSet, BaselineCaptured, GoalNoted};
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
