//! Deciding what hosts report of a turn: that it ended and the goal goes on, and that the user
//! spoke.

use crate::domain::actor::Caller;
use crate::domain::decide::cost::over_budget;
use crate::domain::decide::{PendingEvent, Target};
use crate::domain::event::{GoalContinued, UserPrompted};
use crate::domain::goal::continuation::StopReason;
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// The agent stopped: whether the goal goes on, with the revision that the continuation is for. One
/// that is over its budget is paused instead: another program may have recorded what it cost.
pub fn go_on(
    state: &State,
    target: Target<'_>,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    // What the goal became in this turn was its end; nothing more could be changed in it.
    let session = caller.session.as_deref().unwrap_or_default();
    if caller.turn.is_some() && state.stopped_turns.get(session) == caller.turn.as_ref() {
        return Err(Rejection::TurnStopped);
    }
    let goal = target.goal;
    if let Some(pause) = over_budget(goal, &goal.cost) {
        return Ok(vec![pause]);
    }
    let rests = |rest| Rejection::NotContinued {
        id: goal.id.clone(),
        rest,
    };
    may_continue(goal).map_err(rests)?;
    // A goal of ours has a line, so it has a revision.
    let revision = target.revision.ok_or_else(|| rests(StopReason::Theirs))?;
    Ok(vec![PendingEvent::to(&goal.id, GoalContinued { revision })])
}

/// The user spoke: recorded only where it changes something, since a ledger is no chat log.
pub fn user_prompted(goal: &Goal) -> Result<Vec<PendingEvent>, Rejection> {
    match heeds_the_user(goal) {
        true => Ok(vec![PendingEvent::to(&goal.id, UserPrompted {})]),
        false => Err(Rejection::NothingChanges {
            id: goal.id.clone(),
        }),
    }
}

/// Whether a goal goes on when its agent stops.
///
/// An audit under way is no reason to rest: the continuation tells the agent to ask for completion
/// again, which waits for that audit's verdict, so a verdict that comes after a host's limit on
/// one call still reaches the agent. That it only asks counts as an empty turn.
///
/// # Errors
/// Why it does not.
pub fn may_continue(goal: &Goal) -> Result<(), StopReason> {
    if goal.status != Status::Active {
        return Err(StopReason::NotActive(goal.status));
    }
    if goal.keeper != Keeper::Ours {
        return Err(StopReason::Theirs);
    }
    if !goal.contract.auto_continue {
        return Err(StopReason::ByHand);
    }
    match goal.continuation.rest(goal.revision) {
        Some(rest) => Err(rest),
        None => Ok(()),
    }
}

/// Whether the user's word changes how the goal goes on: continuing it was given up, or a runner
/// works it.
pub fn heeds_the_user(goal: &Goal) -> bool {
    let continuation = &goal.continuation;
    goal.status.is_open()
        && goal.keeper == Keeper::Ours
        && (continuation.running || continuation.rest(goal.revision).is_some())
}

#[cfg(test)]
mod tests;
