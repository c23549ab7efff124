//! Decides what hosts report about a turn: the agent stopped, or the user wrote a prompt.

use crate::domain::actor::Caller;
use crate::domain::decide::authorise::turn_goes_on;
use crate::domain::decide::cost::over_budget;
use crate::domain::decide::{PendingEvent, Target};
use crate::domain::event::{GoalContinued, Payload, UserPrompted};
use crate::domain::goal::continuation::StopReason;
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::hold::worked_on;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::order::waits_for_answer;

/// The agent stopped: decides whether the goal goes on. `most` continuations in a row without a result
/// are allowed, and `tree` says how the files stand. The event names the revision that the
/// continuation is for. A goal over its budget is paused instead; another program may have recorded
/// the cost.
pub fn go_on(
    state: &State,
    target: Target<'_>,
    caller: &Caller,
    most: u32,
    tree: Option<&str>,
) -> Result<Vec<PendingEvent>, Rejection> {
    // Where an act has ended this turn, nothing more may be changed in it.
    turn_goes_on(state, caller)?;
    let goal = target.goal;
    if let Some(pause) = over_budget(goal, &goal.cost) {
        return Ok(vec![pause]);
    }
    let rests = |rest| Rejection::NotContinued {
        id: goal.id.clone(),
        rest,
    };
    goes_on_by_itself(goal).map_err(rests)?;
    if let Some(rest) = goal.continuation.stop_reason_now(goal.revision, most, tree) {
        return Err(rests(rest));
    }
    // A goal of ours has a line, so it has a revision.
    let revision = target.revision.ok_or_else(|| rests(StopReason::Theirs))?;
    let continued = GoalContinued {
        revision,
        max_continuations: Some(most),
        tree: tree.map(str::to_owned),
    };
    Ok(vec![PendingEvent::to(&goal.id, continued)])
}

/// The user wrote a prompt. It is recorded only if it changes something, because a ledger is no
/// chat log. `joins` says whether the session holds the goal from then on.
pub fn user_prompted(goal: &Goal, joins: bool) -> Result<Payload, Rejection> {
    match joins || heeds_the_user(goal) {
        true => Ok(UserPrompted {}.into()),
        false => Err(Rejection::nothing_changes(goal)),
    }
}

/// Whether a goal goes on when its agent stops.
///
/// A running audit does not stop the goal. The continuation tells the agent to request completion
/// again, and that request waits for the verdict of the running audit. So the agent hears a verdict
/// that comes after its host's time limit for one call. A turn that only asks again counts as an
/// empty turn.
///
/// # Errors
/// The reason why it does not go on.
pub fn may_continue(goal: &Goal) -> Result<(), StopReason> {
    goes_on_by_itself(goal)?;
    match goal.continuation.stop_reason(goal.revision) {
        Some(rest) => Err(rest),
        None => Ok(()),
    }
}

/// The same, however its continuations went.
fn goes_on_by_itself(goal: &Goal) -> Result<(), StopReason> {
    if goal.status != Status::Active {
        return Err(StopReason::NotActive(goal.status));
    }
    if goal.keeper != Keeper::Ours {
        return Err(StopReason::Theirs);
    }
    if !goal.contract.auto_continue {
        return Err(StopReason::ByHand);
    }
    // Who goes on works as if it had been answered.
    if waits_for_answer(&goal.tasks) {
        return Err(StopReason::Asked);
    }
    Ok(())
}

/// Whether a session that named the goal holds it only from then on. What another tool keeps, no word
/// takes over.
pub fn joins(state: &State, goal: &Goal, caller: &Caller) -> bool {
    let is_ours = goal.status.is_open() && goal.keeper == Keeper::Ours;
    is_ours && !worked_on(state, goal, caller)
}

/// Whether a prompt of the user changes how the goal goes on: the program had stopped continuing
/// it, it waits for something, or a runner works on it.
pub fn heeds_the_user(goal: &Goal) -> bool {
    let continuation = &goal.continuation;
    goal.status.is_open()
        && goal.keeper == Keeper::Ours
        && (goal.wait.is_some()
            || continuation.running
            || continuation.stop_reason(goal.revision).is_some())
}

#[cfg(test)]
mod tests;
