//! Deciding the acts on one open goal: focus, pauses, notes, reviews, and giving up.

use crate::domain::command::Command;
use crate::domain::cost::budget;
use crate::domain::decide::{PendingEvent, needs_adoption, said};
use crate::domain::event::{GoalAborted, GoalFocused, GoalNoted, GoalPaused, GoalResumed};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::AbortOutcome;
use crate::domain::rejection::Rejection;

/// Decides a command on `goal`, which is open.
pub fn decide(goal: &Goal, command: &Command) -> Result<Vec<PendingEvent>, Rejection> {
    let event = match command {
        Command::Focus { reason } => PendingEvent::to(
            &goal.id,
            GoalFocused {
                reason: said("reason", reason)?,
            },
        ),
        Command::Pause {
            reason,
            suggested_action,
        } => rest(goal, reason, suggested_action.as_deref(), Status::Paused)?,
        Command::Block {
            reason,
            suggested_action,
        } => rest(goal, reason, suggested_action.as_deref(), Status::Blocked)?,
        Command::Resume { reason } if goal.status != Status::Active => resumed(goal, reason)?,
        Command::Resume { .. } => {
            return Err(Rejection::Already {
                id: goal.id.clone(),
                status: goal.status,
            });
        }
        Command::Note { note, next } => {
            let next = next.as_deref().map(|text| said("next", text)).transpose()?;
            PendingEvent::to(
                &goal.id,
                GoalNoted {
                    note: said("note", note)?,
                    next,
                },
            )
        }
        // An opinion: nothing follows from it, whatever it says.
        Command::RecordReview { result } => PendingEvent::to(&goal.id, (**result).clone()),
        Command::Abort { reason } => end(goal, reason, None)?,
        Command::Fail { reason } => end(goal, reason, Some(AbortOutcome::Failed))?,
        Command::Abandon { reason } => end(goal, reason, Some(AbortOutcome::Abandoned))?,
        Command::Adopt if !needs_adoption(goal) => {
            return Err(Rejection::NothingChanges {
                id: goal.id.clone(),
            });
        }
        // Adoption itself is all that is to be done; the others are decided elsewhere.
        _ => return Ok(Vec::new()),
    };
    Ok(vec![event])
}

/// A goal that is over its budget would be paused again before anything is done.
pub(super) fn resumed(goal: &Goal, reason: &str) -> Result<PendingEvent, Rejection> {
    if let Some(over) = budget::over(goal) {
        let id = goal.id.clone();
        return Err(Rejection::OverBudget { id, over });
    }
    let reason = said("reason", reason)?;
    Ok(PendingEvent::to(&goal.id, GoalResumed { reason }))
}

/// A pause or a blocker. A paused goal can become blocked and the other way round; the same again
/// is refused, since it would bury the first reason.
fn rest(
    goal: &Goal,
    reason: &str,
    suggested_action: Option<&str>,
    to: Status,
) -> Result<PendingEvent, Rejection> {
    if goal.status == to {
        return Err(Rejection::Already {
            id: goal.id.clone(),
            status: goal.status,
        });
    }
    let suggested_action = suggested_action
        .map(|text| said("suggest", text))
        .transpose()?;
    let paused = GoalPaused {
        suggested_action,
        blocked: (to == Status::Blocked).then_some(true),
        ..GoalPaused::because(said("reason", reason)?)
    };
    Ok(PendingEvent::to(&goal.id, paused))
}

fn end(
    goal: &Goal,
    reason: &str,
    outcome: Option<AbortOutcome>,
) -> Result<PendingEvent, Rejection> {
    // The transaction fills in where the document goes: it knows the paths.
    let aborted = GoalAborted {
        reason: said("reason", reason)?,
        archive_path: None,
        outcome,
    };
    Ok(PendingEvent::to(&goal.id, aborted))
}
