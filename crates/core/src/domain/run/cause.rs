//! Why a run stopped.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a run stopped, in the order in which the causes are looked for: the first that holds is it.
/// The words are published in `run_stopped.cause`; only ever added to.
///
/// | cause | holds when | and the goal |
/// |---|---|---|
/// | `complete` | the gate completed it | is over |
/// | `ended` | it was aborted, failed or abandoned, or completed outside the gate | is over |
/// | `lease_lost` | its lease is another's, or gone | is left as it is |
/// | `budget` | a limit that the user set is exceeded | is paused |
/// | `blocked` | it is blocked | stays blocked |
/// | `paused` | it is paused | stays paused |
/// | `interrupted` | Ctrl-C, or the process was told to end | is paused |
/// | `checkpoint` | the run was to go so far, and did | stays active |
/// | `user_prompted` | the user spoke in a session on it, at a checkpoint's end | is paused |
/// | `audit_errors` | 3 audits in a row of one revision came to no verdict, and an auditor that is down was waited for as long as is allowed | stays active |
/// | `same_objection` | so many audits in a row (3) objected alike, or to work that had not changed | stays active |
/// | `repeated_failure` | 3 iterations in a row failed in the same way, and made no progress | stays active |
/// | `no_progress` | so many iterations in a row (3) made no progress | stays active |
/// | `no_rise` | it was evaluated in this run, and its escalations, the upgrade and the runway are used up, and the latest evaluation granted nothing | stays active |
/// | `max_iterations` | the run had its iterations | stays active |
/// | `waiting` | `run --all` goes on with other goals until the user's answer is there | stays active |
/// | `agent_failed` | the agent cannot be started at all | stays active |
/// | `error` | the runner itself could not go on | stays active |
/// | `crashed` | its runner died; said by the one that goes on | – |
///
/// The causes from `repeated_failure` to `max_iterations` end no run whose goal is due for its audit:
/// what the last iteration has achieved is audited.
///
/// | an iteration makes progress when |
/// |---|
/// | the agent's turn changed a file of the work tree, or made a commit |
/// | a check came to another result than in the iteration before, or fails and wrote something else (durations and times aside) |
/// | the goal got a better score than all before |
/// | a task was completed, evidence was added that was not there already, a question was answered, or the contract changed |
///
/// A note alone is none.
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
    UserPrompted,
    Budget,
    AuditErrors,
    SameObjection,
    RepeatedFailure,
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
