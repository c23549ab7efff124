//! When a run requests completion, as a pure function of the goal.
//!
//! | a goal | is due for its audit when |
//! |---|---|
//! | that somebody requested completion for | no result is there yet |
//! | with open tasks that hold it, or without the evidence that its contract asks for | never |
//! | that names checks, worked as a whole | all checks and rules passed in the latest iteration of a run, the agent promised COMPLETE in it or one of them failed before, and no auditor objected since |
//! | that names checks, worked on a checkpoint | all checks passed in the latest iteration of a run, one of them failed before, and no auditor objected since |
//! | whose iteration as a whole ended with success | no auditor objected since |
//! | whose tasks are all done | no auditor objected since, and no check failed in the latest iteration |
//!
//! Failed before is: since the contract last changed, and since the latest objection. Checks that passed from
//! the start are a guard: they show that nothing is broken, and not that the work is done.

use crate::domain::decide::requestable;
use crate::domain::goal::state::Goal;
use crate::domain::task::statuses::{TaskStatuses, Whole};
use crate::domain::verdict::Verdict;

/// Whether completion is to be requested before the agent works on.
pub fn completion_is_due(goal: &Goal) -> bool {
    if goal.gate.requested.as_ref().is_some_and(|it| it.ours) {
        return true;
    }
    if requestable(goal, false).is_err() {
        return false;
    }
    let objected = goal.latest_verdict() == Some(Verdict::Disapproved);
    let tasks_done = || TaskStatuses::of(&goal.tasks).whole() == Whole::Ready;
    goal.gate.claimed || (!objected && tasks_done() && !a_check_fails(goal))
}

/// Whether a check failed in the latest iteration of the run.
fn a_check_fails(goal: &Goal) -> bool {
    let checks = goal.runs.open.as_ref().map(|run| &run.counts.checks);
    checks.is_some_and(|checks| checks.values().any(|seen| !seen.pass))
}

#[cfg(test)]
mod tests;
