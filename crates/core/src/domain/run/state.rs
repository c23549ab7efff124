//! The runs of a goal as replay knows them: the open one with its counts, and the one before it; and why
//! a run stopped.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::iteration::state::CheckSeen;
use crate::domain::run::liveness::Machine;
use crate::domain::words::words;

/// What is known of a goal's runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The run that was started and not stopped. Whether its runner still lives says
    /// [`crate::domain::run::liveness`].
    pub open: Option<Run>,
    /// The run that was stopped last, and the word for why.
    pub closed: Option<(Run, String)>,
    /// How many of the latest runs, in a row, got nowhere; see
    /// [`crate::domain::run::state::was_in_vain`].
    pub in_vain: u32,
    /// The same, until somebody works on the goal again.
    pub left: Option<Left>,
    /// That a run was refused, until somebody works on the goal again.
    pub refused: Option<Refused>,
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
    /// The word for why, one of [`crate::domain::run::state::Cause`].
    pub cause: String,
    pub at: String,
    /// What was called the agent: a preset's name or a path.
    pub agent: String,
}

/// A run that was refused before it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What was lacking, and what to do about it.
    pub reason: String,
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
    /// The moment at which it is to be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// How it goes about its work.
    pub choices: Choices,
    /// `at` of its start.
    pub started_at: String,
    /// Where its runner works.
    pub machine: Machine,
    /// The runner's process there.
    pub pid: Option<i32>,
    /// `at` of the latest line of its session.
    pub heard_at: String,
    /// What names the changes that it left without a commit, where it makes commits and has stopped.
    pub uncommitted: Option<String>,
    /// The commit that was checked out when it stopped.
    pub stopped_on: Option<String>,
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
    /// Something came of the one under way (docs/runs.md#progress).
    pub progressed: bool,
    /// How every check stood in the latest of them.
    pub checks: BTreeMap<String, CheckSeen>,
    /// How many of the latest, in a row, failed in the same way.
    pub failures: u32,
    /// How many of the latest, in a row, left the same checks failing with the same output, and nothing came
    /// of them but changed files.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub same_outputs: u32,
    /// That way: rule to message; empty while nothing failed.
    pub failing: BTreeMap<String, String>,
    /// Of those that failed then, the end of what they wrote.
    pub outputs: BTreeMap<String, String>,
    /// The agent's last words in the latest of them.
    pub said: Option<String>,
    /// In a run that makes commits, why what is changed after the latest of them is not committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncommitted: Option<String>,
    /// In the latest of them the agent promised that it is complete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub promised: bool,
    /// How many audits that the agent asked for, in a row, objected alike or to the same work; and the name of
    /// what the latest said.
    pub objections: u32,
    pub objection: Option<String>,
    /// How many audits, in a row, came to no verdict.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub audit_errors: u32,
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
        /// Its process failed, and nothing came of the turn.
        AgentDown = "agent_down",
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

/// Why a run stopped (docs/runs.md#when-a-run-stops). Words are only ever added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "StopCause")]
pub enum Cause {
    Complete,
    Ended,
    LeaseLost,
    Blocked,
    Paused,
    Interrupted,
    Checkpoint,
    Deadline,
    UserPrompted,
    Budget,
    AuditErrors,
    SameObjection,
    RepeatedFailure,
    SameFailures,
    NoProgress,
    NoRise,
    MaxIterations,
    Waiting,
    AgentFailed,
    Error,
    Crashed,
}

impl Cause {
    /// The published word.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The published word, and what it says in a sentence.
    fn row(self) -> (&'static str, &'static str) {
        match self {
            Cause::Complete => ("complete", "the goal is complete"),
            Cause::Ended => ("ended", "the goal has ended"),
            Cause::LeaseLost => ("lease_lost", "another worker took the goal's lease"),
            Cause::Blocked => ("blocked", "the goal is blocked"),
            Cause::Paused => ("paused", "the goal is paused"),
            Cause::Interrupted => ("interrupted", "the run was interrupted"),
            Cause::Checkpoint => ("checkpoint", "the checkpoint is complete"),
            Cause::Deadline => ("deadline", "the time that the run had is over"),
            Cause::UserPrompted => ("user_prompted", "the user spoke in a session on the goal"),
            Cause::Budget => ("budget", "a budget that the user set is used up"),
            Cause::AuditErrors => ("audit_errors", "audit after audit came to no verdict"),
            Cause::SameObjection => (
                "same_objection",
                "audit after audit objected to the same, or to work that had not changed",
            ),
            Cause::RepeatedFailure => (
                "repeated_failure",
                "iteration after iteration failed in the same way",
            ),
            Cause::SameFailures => (
                "same_failures",
                "the same checks failed with the same output, iteration after iteration",
            ),
            Cause::NoProgress => (
                "no_progress",
                "several iterations in a row made no progress",
            ),
            Cause::NoRise => (
                "no_rise",
                "the score did not rise, and every new plan that the goal may have is used up",
            ),
            Cause::MaxIterations => ("max_iterations", "the run had all its iterations"),
            Cause::Waiting => ("waiting", "the goal waits for the user's answer"),
            Cause::AgentFailed => ("agent_failed", "the agent cannot be started"),
            Cause::Error => ("error", "the runner could not go on"),
            Cause::Crashed => ("crashed", "its runner died"),
        }
    }

    /// Whether the run got where it was to go.
    pub fn is_success(self) -> bool {
        matches!(self, Cause::Complete | Cause::Checkpoint)
    }

    /// Whether the goal rests from now on until the user resumes it.
    pub fn pauses(self) -> bool {
        matches!(
            self,
            Cause::Interrupted | Cause::UserPrompted | Cause::Budget
        )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

/// Whether a run that stopped for this, a published word, got nowhere; nothing where that is not for the
/// run to say: the user stopped it, or its runner.
pub fn was_in_vain(cause: &str) -> Option<bool> {
    let nowhere = [
        Cause::AuditErrors,
        Cause::SameObjection,
        Cause::RepeatedFailure,
        Cause::SameFailures,
        Cause::NoProgress,
        Cause::NoRise,
        Cause::MaxIterations,
    ];
    let is_one_of = |causes: &[Cause]| causes.iter().any(|it| it.name() == cause);
    match cause {
        _ if is_one_of(&nowhere) => Some(true),
        _ if is_one_of(&[Cause::Complete, Cause::Checkpoint]) => Some(false),
        _ => None,
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference over"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
