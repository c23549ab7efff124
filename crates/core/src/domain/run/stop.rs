//! When a run stops: a pure function of the goal, of its run's counts and of what the runner saw. The causes
//! are looked for in this order, and the first that holds is it.
//!
//! | cause | holds when | and the goal |
//! |---|---|---|
//! | `complete` | the gate completed it | is over |
//! | `ended` | it was aborted, failed or abandoned, or completed outside the gate | is over |
//! | `lease_lost` | its lease is another's, or gone | is left as it is |
//! | `budget` | a limit that the user set is exceeded | is paused |
//! | `blocked` | it is blocked | stays blocked |
//! | `paused` | it is paused | stays paused |
//! | `interrupted` | Ctrl-C, or the process was told to end | is paused |
//! | `checkpoint` | the run was to go so far, and did | stays active |
//! | `deadline` | the time that the run had is over, and what the last turn achieved has been audited, or cannot be | stays active |
//! | `user_prompted` | the user spoke in a session on it, at a checkpoint's end | is paused |
//! | `audit_errors` | 3 audits of the run in a row came to no verdict, and an auditor that is down was waited for as long as is allowed | stays active |
//! | `same_objection` | so many audits in a row (3) that the agent asked for objected alike, or to work that had not changed | stays active |
//! | `repeated_failure` | 3 iterations in a row failed in the same way, and made no progress | stays active |
//! | `same_failures` | so many iterations in a row (10) left the same checks failing with the same output, and brought nothing but changed files | stays active |
//! | `no_progress` | so many iterations in a row (3) made no progress | stays active |
//! | `no_rise` | it was evaluated in this run, and its escalations, the upgrade and the runway are used up, and the latest evaluation granted nothing | stays active |
//! | `max_iterations` | the run had its iterations | stays active |
//! | `waiting` | `run --all` goes on with other goals until the user's answer is there | stays active |
//! | `agent_failed` | the agent cannot be started at all | stays active |
//! | `error` | the runner itself could not go on | stays active |
//! | `crashed` | its runner died, as its own machine saw or the user said; said by the one that goes on | – |
//!
//! The causes from `repeated_failure` to `max_iterations` end no run whose goal is due for its audit:
//! what the last iteration has achieved is audited.
//!
//! What progress is, docs/runs.md#progress says.

use crate::domain::goal::continuation::MOST_IN_VAIN;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::progress::advice::gives_up;
use crate::domain::run::due::completion_is_due;
use crate::domain::run::limited::RETRY_FOR;
use crate::domain::run::state::Cause;
use crate::domain::verdict::Cause as AuditCause;

/// How many runs of a goal in a row may get nowhere before `goal run --all` leaves the goal alone, where
/// nothing else is configured.
pub const MOST_RUNS_IN_VAIN: u32 = 3;

/// What the runner saw that the ledger does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunnerSaw {
    /// It was told to stop.
    pub interrupted: bool,
    /// Its lease is another's, or gone.
    pub lease_lost: bool,
    /// No checkpoint is under way: one just ended, or the goal has none.
    pub between: bool,
    /// The checkpoint that the run was to go to is complete.
    pub reached: bool,
    /// The moment came at which the run is to be over, and it has tried the audit that was due then.
    pub out_of_time: bool,
    /// A limit that the user set is exceeded.
    pub over_budget: bool,
    /// The goal was completed by the gate.
    pub gated: bool,
    /// Completion cannot be requested since the latest iteration: that was tried.
    pub refused: bool,
}

/// How many iterations in a row may make no progress, where nothing else is configured.
pub const MOST_EMPTY: u32 = MOST_IN_VAIN;

/// How many audits in a row may object to the same, where nothing else is configured.
pub const MOST_SAME_OBJECTIONS: u32 = MOST_IN_VAIN;

/// How many iterations in a row may leave the same checks failing with the same output, where nothing else is
/// configured.
pub const MOST_SAME_FAILURES: u32 = 10;

/// How many iterations a run has, where nothing else is said.
pub const MOST_ITERATIONS: u64 = 50;

/// The bounds of a run that are configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many iterations in a row may make no progress.
    pub empty: u32,
    /// How many audits in a row may object to the same.
    pub same_objections: u32,
    /// How many iterations in a row may leave the same checks failing with the same output.
    pub same_failures: u32,
    /// How many seconds in a row may be waited for a program that cannot work.
    pub retry_for: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            empty: MOST_EMPTY,
            same_objections: MOST_SAME_OBJECTIONS,
            same_failures: MOST_SAME_FAILURES,
            retry_for: RETRY_FOR.as_secs(),
        }
    }
}

/// Whether the latest audit came to no verdict because its auditor could not work, so that another try
/// may help.
pub fn auditor_is_down(goal: &Goal) -> bool {
    let cause = goal.gate.result.as_ref().and_then(|it| it.cause.as_ref());
    matches!(
        cause,
        Some(
            AuditCause::NonZeroExit
                | AuditCause::Timeout
                | AuditCause::Signal
                | AuditCause::EmptyOutput
                | AuditCause::AuditorMissing
        )
    )
}

/// Whether the latest audit came to no verdict because the auditor is another one than when the run began:
/// asking again changes nothing.
fn auditor_changed(goal: &Goal) -> bool {
    let cause = goal.gate.result.as_ref().and_then(|it| it.cause.as_ref());
    cause == Some(&AuditCause::AuditorChanged)
}

/// Why the run of `goal` stops now; nothing while it goes on. The table is this file's.
pub fn stop(goal: &Goal, seen: RunnerSaw, bounds: Bounds) -> Option<Cause> {
    let run = goal.runs.open.as_ref();
    let counts = run.map(|run| run.counts.clone()).unwrap_or_default();
    let most = run.and_then(|run| run.max_iterations);
    let first = [
        (
            goal.status == Status::Complete && seen.gated,
            Cause::Complete,
        ),
        (!goal.status.is_open(), Cause::Ended),
        (seen.lease_lost, Cause::LeaseLost),
        // What goes over it pauses the goal in the same write.
        (seen.over_budget, Cause::Budget),
        (goal.status == Status::Blocked, Cause::Blocked),
        (goal.status == Status::Paused, Cause::Paused),
        (seen.interrupted, Cause::Interrupted),
        (seen.reached, Cause::Checkpoint),
        (seen.out_of_time, Cause::Deadline),
        (seen.between && counts.prompted, Cause::UserPrompted),
        (
            (counts.audit_errors >= MOST_IN_VAIN
                || counts.audit_errors > 0 && auditor_changed(goal))
                && !(auditor_is_down(goal) && counts.waited < bounds.retry_for),
            Cause::AuditErrors,
        ),
        (
            counts.objections >= bounds.same_objections,
            Cause::SameObjection,
        ),
    ];
    let of_the_work = [
        (counts.failures >= MOST_IN_VAIN, Cause::RepeatedFailure),
        (
            counts.same_outputs >= bounds.same_failures,
            Cause::SameFailures,
        ),
        (
            run.is_some() && counts.empty >= bounds.empty,
            Cause::NoProgress,
        ),
        (
            counts.evaluated && gives_up(&goal.progress, goal.contract.difficulty),
            Cause::NoRise,
        ),
        (
            most.is_some_and(|most| counts.iterations >= most),
            Cause::MaxIterations,
        ),
    ];
    let holding = |causes: &[(bool, Cause)]| {
        let first = causes.iter().find(|(holds, _)| *holds);
        first.map(|(_, cause)| *cause)
    };
    holding(&first).or_else(|| {
        let cause = holding(&of_the_work)?;
        (seen.refused || !completion_is_due(goal)).then_some(cause)
    })
}

#[cfg(test)]
mod tests;
