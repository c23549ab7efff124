//! A goal's iterations as replay knows them: the open ones, the latest ended ones, and counts.
//! Also which of them a caller means, what one check said, and how iterations end.

use std::collections::{BTreeMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::iteration::judge::Signal;
use crate::domain::iteration::stats::Tally;
use crate::domain::rejection::Rejection;
use crate::domain::wire::lenient;

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
    /// The goal's checks that passed when a run began it.
    pub passing: Vec<String>,
    /// The iteration under way, from 1; 0 while nothing was tried.
    pub current: u64,
    /// Its lines count from 0, as those of earlier versions may.
    pub from_zero: bool,
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
    /// Which iteration it was of, from 1.
    pub iteration: u64,
    pub results: BTreeMap<String, RuleResult>,
    pub signal: Option<Signal>,
}

impl Open {
    /// Whether its latest validation is of the iteration under way and says that it is complete.
    pub fn is_proved(&self) -> bool {
        let proves =
            |it: &Validation| it.iteration == self.current && it.signal == Some(Signal::Complete);
        self.latest.as_ref().is_some_and(proves)
    }

    /// The number of the iteration that is validated now, from 1: work follows a start at once.
    pub fn number(&self) -> u64 {
        self.current.max(1)
    }

    /// Up to which iteration it was validated.
    pub fn validated(&self) -> u64 {
        self.latest.as_ref().map_or(0, |latest| latest.iteration)
    }

    /// Whether no other iteration follows this one.
    pub fn is_last(&self) -> bool {
        self.most.is_some_and(|most| self.current >= most)
    }
}

/// The number of an iteration, from 1, that a line of its loop numbers so.
pub(super) fn counted(number: u64, from_zero: bool) -> u64 {
    number.saturating_add(u64::from(from_zero))
}

/// How the lines of a loop number this iteration.
pub fn in_lines(number: u64, from_zero: bool) -> u64 {
    number.saturating_sub(u64::from(from_zero))
}

impl Iterations {
    /// The number of an iteration, from 1, that a line of this loop numbers so.
    pub fn counted(&self, id: &str, number: u64) -> u64 {
        let open = self.open.iter().find(|it| it.id == id);
        let over = || self.over(id).map(|it| it.from_zero);
        let from_zero = open.map(|it| it.from_zero).or_else(over);
        counted(number, from_zero.unwrap_or(false))
    }

    /// The ended iteration with this id.
    pub fn over(&self, id: &str) -> Option<&Ended> {
        self.ended.iter().rfind(|it| it.id == id)
    }

    /// The open iteration for this task, or for the goal itself.
    pub fn of_task(&self, task: Option<&str>) -> Option<&Open> {
        self.open.iter().rfind(|it| it.task.as_deref() == task)
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
                how: match ended.outcome {
                    IterationOutcome::Success => "over, with success",
                    IterationOutcome::Blocked => "over, as blocked",
                    IterationOutcome::MaxIterations => "over, at its maximum",
                },
                hint: "start another with `goal progress iterate start`",
            }),
            None => Err(Rejection::NoIteration {
                iteration: Some(id.to_owned()),
            }),
        }
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

/// How a check stood in one iteration of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self")]
#[schemars(!remote)]
pub struct CheckSeen {
    pub pass: bool,
    /// A name of what it wrote, without what differs each time it runs.
    pub output: String,
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
lenient::objects_only!(CheckSeen);

/// An iteration that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub id: String,
    pub task: Option<String>,
    pub most: Option<u64>,
    pub outcome: IterationOutcome,
    pub summary: String,
    /// How many iterations there were.
    pub total_iterations: u64,
    /// Its lines count from 0, as those of earlier versions may.
    pub from_zero: bool,
    pub elapsed_ms: u64,
}
