//! Deciding the acts on one open goal: focus, pauses, notes, reviews, and giving up.

use crate::domain::command::Command;
use crate::domain::cost::budget;
use crate::domain::decide::{needs_adoption, require_text, require_text_if_given};
use crate::domain::event::{GoalAborted, GoalFocused, GoalNoted, GoalPaused, GoalResumed, Payload};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::AbortOutcome;
use crate::domain::rejection::Rejection;

/// Decides a command on `goal`, which is open. An adoption is nothing more than itself.
pub fn decide(goal: &Goal, command: &Command) -> Result<Option<Payload>, Rejection> {
    let payload = match command {
        Command::Focus(focused) => {
            let reason = require_text("reason", &focused.reason)?;
            GoalFocused { reason }.into()
        }
        Command::Pause(pause) => pause_or_block(goal, pause)?,
        Command::Resume(resume) => {
            must_not_be(goal, Status::Active)?;
            resumed(goal, resume)?
        }
        Command::Note(note) => noted(note)?,
        // An opinion: nothing follows from it, whatever it says.
        Command::RecordReview(result) => result.clone().into(),
        Command::End(aborted) => end(&aborted.reason, aborted.outcome)?,
        Command::Adopt if !needs_adoption(goal) => return Err(Rejection::nothing_changes(goal)),
        // The others are decided elsewhere.
        _ => return Ok(None),
    };
    Ok(Some(payload))
}

/// A note.
pub(super) fn noted(noted: &GoalNoted) -> Result<Payload, Rejection> {
    let next = require_text_if_given("next", noted.next.as_deref())?;
    let note = require_text("note", &noted.note)?;
    Ok(GoalNoted { note, next }.into())
}

/// A goal that is over its budget would be paused again before anything is done.
pub(super) fn resumed(goal: &Goal, resumed: &GoalResumed) -> Result<Payload, Rejection> {
    if let Some(over) = budget::over(goal) {
        let id = goal.id.clone();
        return Err(Rejection::OverBudget { id, over });
    }
    let reason = require_text("reason", &resumed.reason)?;
    Ok(GoalResumed { reason }.into())
}

fn must_not_be(goal: &Goal, status: Status) -> Result<(), Rejection> {
    let id = goal.id.clone();
    match goal.status == status {
        true => Err(Rejection::Already { id, status }),
        false => Ok(()),
    }
}

/// A pause or a blocker. A paused goal can become blocked and the other way round; the same again
/// is refused, since it would bury the first reason.
pub(super) fn pause_or_block(goal: &Goal, pause: &GoalPaused) -> Result<Payload, Rejection> {
    let blocked = pause.is_blocker();
    must_not_be(
        goal,
        match blocked {
            true => Status::Blocked,
            false => Status::Paused,
        },
    )?;
    let paused = GoalPaused {
        suggested_action: require_text_if_given("suggest", pause.suggested_action.as_deref())?,
        blocked: blocked.then_some(true),
        ..GoalPaused::because(require_text("reason", &pause.reason)?)
    };
    Ok(paused.into())
}

/// The end of a goal without completion.
pub(super) fn end(reason: &str, outcome: Option<AbortOutcome>) -> Result<Payload, Rejection> {
    // The transaction fills in where the document goes: it knows the paths.
    let aborted = GoalAborted {
        reason: require_text("reason", reason)?,
        archive_path: None,
        outcome,
    };
    Ok(aborted.into())
}
