//! The runs of a goal as replay knows them: the open one with its counts, and the one before it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::iteration::outcome::CheckSeen;
use crate::domain::words::words;

/// What is known of a goal's runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The run that was started and not stopped. Whether its runner still lives, only its lease
    /// says.
    pub open: Option<Run>,
    /// The run that was stopped last, and the word for why.
    pub closed: Option<(Run, String)>,
    /// How many of the latest runs, in a row, got nowhere; see
    /// [`crate::domain::run::cause::was_in_vain`].
    pub in_vain: u32,
    /// The same, until somebody works on the goal again.
    pub left: Option<Left>,
}

impl Runs {
    /// What was chosen for the latest run.
    pub fn choices(&self) -> Choices {
        let closed = || self.closed.as_ref().map(|(run, _)| run);
        let latest = self.open.as_ref().or_else(closed);
        latest.map_or_else(Choices::default, |run| run.choices)
    }
}

/// A run that was stopped, and nobody has worked on its goal since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    pub id: String,
    /// The word for why, one of [`crate::domain::run::cause::Cause`].
    pub cause: String,
    pub at: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: String,
    /// The session of its agents, focused on the goal. A run that is gone on with keeps it, so that
    /// an iteration that is done again is the same turn, and what was keyed in it is not recorded
    /// twice.
    pub session: Option<String>,
    pub until: RunUntil,
    /// What was called the agent: a preset's name or a path. Never a command that is run again.
    pub agent: String,
    /// Most iterations; no limit without it.
    pub max_iterations: Option<u64>,
    /// How it goes about its work.
    pub choices: Choices,
    /// `at` of its start.
    pub started_at: String,
    /// What names the changes that it left without a commit, where it makes commits and has stopped.
    pub uncommitted: Option<String>,
    pub counts: Counts,
}

/// How a run goes about its work, as the user chose. A later run of the goal does the same unless it is
/// told otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// In a work tree of the goal's own.
    pub worktree: bool,
    /// With a commit of each turn that changed something.
    pub commit: bool,
    /// A goal without tasks is planned first.
    pub plan: bool,
}

/// What a run's own iterations came to. They are counted from the ledger alone, so a runner that
/// was killed is gone on with where it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Iterations that were validated.
    pub iterations: u64,
    /// How many of the latest, in a row, made no progress.
    pub empty: u32,
    /// Something came of the one under way: see [`crate::domain::run::cause::Cause`].
    pub progressed: bool,
    /// How every check stood in the latest of them.
    pub checks: BTreeMap<String, CheckSeen>,
    /// How many of the latest, in a row, failed in the same way.
    pub failures: u32,
    /// That way: rule to message; empty while nothing failed.
    pub failing: BTreeMap<String, String>,
    /// Of those that failed then, the end of what they wrote.
    pub outputs: BTreeMap<String, String>,
    /// The agent's last words in the latest of them.
    pub said: Option<String>,
    /// How many audits, in a row, objected alike or to the same work; and the name of what the latest
    /// said.
    pub objections: u32,
    pub objection: Option<String>,
    /// The work is another than the latest audit objected to: files or what a check says changed, or the
    /// user said something.
    pub reworked: bool,
    /// How often, in a row, a program could not work, and how many seconds the waits for it were to
    /// take: a wait that ends early counts whole.
    pub waits: u32,
    pub waited: u64,
    /// The goal was evaluated since the run began.
    pub evaluated: bool,
    /// The user spoke in a session on the goal since the run began.
    pub prompted: bool,
}

words! {
    /// Which program a run waits for.
    pub enum WaitsFor {
        Agent = "rate_limit",
        Auditor = "auditor_down",
    }
}

/// How far a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunUntil {
    /// To the end of the current checkpoint.
    Checkpoint,
    /// To the verdict that completes the goal.
    Goal,
}
