//! A goal's iterations as replay knows them: the open ones, the latest ended ones, and counts.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::domain::event::IterationCompleted;
use crate::domain::event::iteration::{IterationOutcome, RuleResult};
use crate::domain::iteration::promise::Signal;
use crate::domain::iteration::stats::Tally;
use crate::domain::rejection::Rejection;

/// How many open iterations of a goal are kept; ours are one a task at most.
pub const OPEN: usize = 256;

/// How many ended iterations are kept, so that ending one twice is answered.
pub const ENDED: usize = 32;

/// How many texts of what was learned are kept of one iteration, for its report.
pub const LEARNED: usize = 50;

/// The iterations of one goal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// Oldest first.
    pub open: Vec<Open>,
    /// Oldest first.
    pub ended: VecDeque<Ended>,
    pub tally: Tally,
}

/// An iteration that goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Open {
    pub id: String,
    /// The task that it is for; the goal itself without one.
    pub task: Option<String>,
    /// Nothing where another program set no maximum.
    pub most: Option<u64>,
    pub promises: Vec<String>,
    pub rules: Vec<String>,
    /// How long one iteration may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// 0 until the first `next`.
    pub current: u64,
    /// `at` of its start.
    pub started_at: String,
    /// `at` of its start, or of the latest `next`.
    pub since: String,
    /// What was learned in which iteration, oldest first; the first ones go.
    pub learned: VecDeque<(u64, String)>,
    /// The latest validation.
    pub latest: Option<Validation>,
    /// How often each rule failed.
    pub failures: BTreeMap<String, u64>,
}

/// What a validation came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Which iteration it was of.
    pub iteration: u64,
    pub results: BTreeMap<String, RuleResult>,
    pub signal: Option<Signal>,
}

/// An iteration that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub task: Option<String>,
    pub most: Option<u64>,
    pub completed: IterationCompleted,
}

impl Open {
    /// Whether its latest validation is of the iteration under way and says that it is complete.
    pub fn is_proved(&self) -> bool {
        let proves =
            |it: &Validation| it.iteration == self.current && it.signal == Some(Signal::Complete);
        self.latest.as_ref().is_some_and(proves)
    }

    /// Whether no other iteration follows this one.
    pub fn is_last(&self) -> bool {
        self.most.is_some_and(|most| self.current >= most)
    }
}

impl Iterations {
    /// The open iteration with this id; without one, the only one that is open.
    ///
    /// # Errors
    /// There is none, it is over, or there are several.
    pub fn find(&self, id: Option<&str>) -> Result<&Open, Rejection> {
        let Some(id) = id else {
            return match &self.open[..] {
                [only] => Ok(only),
                [] => Err(Rejection::NoIteration { iteration: None }),
                several => Err(Rejection::AmbiguousIteration {
                    iterations: several.iter().map(|it| it.id.clone()).collect(),
                }),
            };
        };
        if let Some(open) = self.open.iter().find(|it| it.id == id) {
            return Ok(open);
        }
        match self.over(id) {
            Some(ended) => Err(Rejection::IterationState {
                iteration: id.to_owned(),
                how: match ended.completed.outcome {
                    IterationOutcome::Success => "over, with success",
                    IterationOutcome::Blocked => "over, as blocked",
                    IterationOutcome::MaxIterations => "over, at its maximum",
                },
                hint: "start another with `goal iterate start`",
            }),
            None => Err(Rejection::NoIteration {
                iteration: Some(id.to_owned()),
            }),
        }
    }

    /// The ended iteration with this id.
    pub fn over(&self, id: &str) -> Option<&Ended> {
        self.ended
            .iter()
            .rfind(|it| it.completed.iteration_id == id)
    }

    /// The open iteration for this task, or for the goal itself.
    pub fn of_task(&self, task: Option<&str>) -> Option<&Open> {
        self.open.iter().rfind(|it| it.task.as_deref() == task)
    }
}
