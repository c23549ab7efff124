//! Iterations and runs: going round until checks pass.

pub mod apply;
pub mod judge;
pub mod report;
pub mod state;
pub mod stats;

use crate::domain::event::{CheckRun, IterationStarted, IterationValidated};
use crate::domain::iteration::judge::Promised;
use crate::domain::iteration::state::IterationOutcome;

/// What is to happen to an iteration. Without an id, the only open one is meant.
#[derive(Debug, Clone, PartialEq)]
pub enum IterationCommand {
    /// Begins one, with everything settled. Without a maximum only for the runner, whose runs have one
    /// of their own.
    Start(IterationStarted),
    /// What a validation found.
    Validate(Validated),
    /// Counts up.
    Next {
        iteration: Option<String>,
        learned: Option<String>,
    },
    Complete {
        iteration: Option<String>,
        outcome: IterationOutcome,
        summary: String,
    },
}

/// What was found out, outside the lock, of the iteration that was under way then.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validated {
    /// Its number is that of the iteration under way when the rules were run; 0, as 1, where nothing
    /// was tried.
    pub seen: IterationValidated,
    pub promise: Option<Promised>,
    /// The rules as they ran; those without a command did not.
    pub runs: Vec<CheckRun>,
}

impl IterationCommand {
    /// The word for validating; its request keys are looked up before any rule is run.
    pub const VALIDATE: &'static str = "iterate validate";

    /// The word by which messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            IterationCommand::Start(_) => "iterate start",
            IterationCommand::Validate(_) => IterationCommand::VALIDATE,
            IterationCommand::Next { .. } => "iterate next",
            IterationCommand::Complete { .. } => "iterate complete",
        }
    }
}
