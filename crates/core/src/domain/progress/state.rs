//! What is known of a goal's progress. Bounded, however long its history is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;
use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::escalation::{self, Escalations};
use crate::domain::progress::history::{History, Score};
use crate::domain::progress::tick::{Due, due};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::wire::lenient;

/// A goal's progress, folded from its events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// How things stood when the goal was created.
    pub baseline: Option<Baseline>,
    pub history: History,
    /// The latest evaluation.
    pub latest: Option<Evaluation>,
    pub escalations: Escalations,
    /// The latest escalation.
    pub escalated: Option<Escalation>,
    /// The difficulty that it turned out to have.
    pub upgraded: Option<Difficulty>,
    /// The runway was granted.
    pub runway: bool,
    /// The latest evaluation found escalations unproductive, or something was granted with it or
    /// since. Giving up waits for the next one.
    pub(in crate::domain::progress) unsettled: bool,
    pub agenda: Vec<AgendaStep>,
    /// How many evaluations there were.
    pub evaluations: u64,
    /// How many iterations there were.
    pub ticks: u64,
    /// How many ticks there were, and checkpoints complete, at the latest evaluation.
    pub(in crate::domain::progress) seen: Seen,
}

/// How far things were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::domain::progress) struct Seen {
    pub ticks: u64,
    pub checkpoints: u64,
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

/// How things stood before any work; only progress since counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    pub text: String,
    /// The name of the check whose output it is; nothing for somebody's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub at: String,
}

/// What an evaluation said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    pub score: Score,
    /// What is met, what is not, and the next concrete step.
    pub gap_analysis: String,
    /// It calls for a new plan.
    pub should_escalate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// `evaluator` where it was asked; nothing where somebody gave the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
    pub at: String,
}

/// A call for a new plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Escalation {
    pub reason: String,
    pub score_before: Score,
    /// The score of the first evaluation after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_after: Option<Score>,
    pub at: String,
}

impl Progress {
    /// The difficulty that counts: what it turned out to be, else the contract's.
    pub fn tier(&self, contract: Option<Difficulty>) -> Difficulty {
        self.upgraded.or(contract).unwrap_or(escalation::DEFAULT)
    }

    /// An evaluation of a goal with these tasks.
    pub(in crate::domain) fn evaluate(&mut self, evaluation: Evaluation, tasks: &Tasks) {
        let score = evaluation.score;
        self.history.push(score);
        let unproductive = self.escalations.unproductive;
        self.escalations.judge(score);
        self.unsettled = self.escalations.unproductive > unproductive;
        if let Some(escalated) = &mut self.escalated {
            escalated.score_after.get_or_insert(score);
        }
        self.latest = Some(evaluation);
        self.evaluations = self.evaluations.saturating_add(1);
        self.seen = Seen {
            ticks: self.ticks,
            checkpoints: checkpoints(tasks),
        };
    }

    /// The goal turned out to be this hard.
    pub(in crate::domain) fn upgrade(&mut self, to: Difficulty) {
        self.upgraded = Some(to);
        self.unsettled = true;
    }

    /// One more escalation was granted.
    pub(in crate::domain) fn grant_runway(&mut self) {
        self.runway = true;
        self.unsettled = true;
    }

    /// One more iteration.
    pub(in crate::domain) fn tick(&mut self) {
        self.ticks = self.ticks.saturating_add(1);
    }

    /// The score that an escalation has before it.
    pub fn score_before(&self) -> Score {
        self.history.latest().unwrap_or(Score::ZERO)
    }

    /// How many checkpoints of these tasks were completed since the latest evaluation, or since the
    /// beginning.
    pub fn checkpoints_since(&self, tasks: &Tasks) -> u64 {
        checkpoints(tasks).saturating_sub(self.seen.checkpoints)
    }

    /// Whether an evaluation of a goal with these tasks is due, where one is due after `every`
    /// ticks.
    pub fn evaluation_due(&self, tasks: &Tasks, every: u32) -> Option<Due> {
        let ticks = self.ticks - self.seen.ticks;
        due(ticks, self.checkpoints_since(tasks), every)
    }

    /// Whether nothing of it was ever recorded.
    pub fn is_empty(&self) -> bool {
        *self == Progress::default()
    }
}

/// How many checkpoints, the tasks at the top, are complete.
pub fn checkpoints(tasks: &Tasks) -> u64 {
    let standing = TaskStatuses::of(tasks);
    let complete = |task: &&TaskSpec| standing.status(&task.id) == TaskStatus::Complete;
    tasks.specs.iter().filter(complete).count() as u64
}
