//! Deciding the acts on one open goal: focus, pauses, notes, reviews, and giving up; what an agent may do
//! while it rests; and where focus goes when it ends.
//!
//! An agent works only what is active. On a goal that is paused or blocked it reads, notes, asks,
//! proposes, and books what was spent; work, and the claim that work is done, wait for the user's
//! `goal resume`.
//!
//! What came of something that was begun while the goal was active is recorded all the same: it
//! happened.
//!
//! Returns focus to the outer goal: when the user ends the goal that they work on, focus goes back
//! to the goal that was focused when it was created. Only the user moves focus, so when an agent
//! ends a goal, no goal is focused; the receipt names the outer goal.

use crate::domain::actor::{Actor, Caller};
use crate::domain::attention::waits_by_pause;
use crate::domain::command::{Command, MessageEffect};
use crate::domain::cost::budget;
use crate::domain::decide::{
    By, PendingEvent, needs_adoption, require_text, require_text_if_given,
};
use crate::domain::event::{
    GoalAborted, GoalFocused, GoalNoted, GoalPaused, GoalResumed, GoalWaiting, Payload,
};
use crate::domain::focus::{focused, outer_of};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::AbortOutcome;
use crate::domain::progress::ProgressCommand;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::command::{StepOutcome, TaskCommand};

/// Decides a command on `goal`, which is open. An adoption is nothing more than itself.
pub fn decide(
    goal: &Goal,
    command: &Command,
    caller: &Caller,
) -> Result<Option<Payload>, Rejection> {
    let payload = match command {
        Command::Focus(focused) => {
            let reason = require_text("reason", &focused.reason)?;
            GoalFocused { reason }.into()
        }
        Command::Pause(pause) if lets_rest(goal, pause, caller) => paused(pause)?.into(),
        Command::Pause(_) if caller.actor == Actor::Agent && is_users_pause(goal) => {
            return Err(Rejection::Resting {
                id: goal.id.clone(),
                status: goal.status,
                act: command.name(),
            });
        }
        Command::Pause(pause) => pause_or_block(goal, pause)?,
        Command::Resume(resume) => {
            must_not_be(goal, Status::Active)?;
            resumed(goal, resume)?
        }
        Command::Note(note) => noted(note)?,
        Command::Wait(wait) => waits(goal, wait)?,
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

/// What is waited for. A goal that rests waits for the user already.
pub(super) fn waits(goal: &Goal, waits: &GoalWaiting) -> Result<Payload, Rejection> {
    if goal.status != Status::Active {
        return Err(Rejection::Resting {
            id: goal.id.clone(),
            status: goal.status,
            act: "wait",
        });
    }
    let until = waits.until.clone();
    let reason = require_text("for", &waits.reason)?;
    Ok(GoalWaiting { reason, until }.into())
}

/// A goal that is over its budget would be paused again before anything is done.
pub(super) fn resumed(goal: &Goal, resumed: &GoalResumed) -> Result<Payload, Rejection> {
    if let Some(over) = budget::over(goal) {
        return Err(Rejection::OverBudget {
            id: goal.id.clone(),
            over,
            raise: budget::raised(goal).unwrap_or_default(),
        });
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
    Ok(paused(pause)?.into())
}

/// Whether the user let the goal rest: an agent's pause or blocker in place of that would ask for it back.
fn is_users_pause(goal: &Goal) -> bool {
    let pause = goal.pause.as_ref();
    let is_users = pause.is_some_and(|it| it.by == Some(Actor::User) && it.source.is_none());
    goal.status == Status::Paused && is_users
}

/// Whether the user lets a goal rest that an agent paused: then it asks nothing any more.
fn lets_rest(goal: &Goal, pause: &GoalPaused, caller: &Caller) -> bool {
    caller.actor == Actor::User && !pause.is_blocker() && waits_by_pause(goal)
}

fn paused(pause: &GoalPaused) -> Result<GoalPaused, Rejection> {
    Ok(GoalPaused {
        suggested_action: require_text_if_given("suggest", pause.suggested_action.as_deref())?,
        blocked: pause.is_blocker().then_some(true),
        ..GoalPaused::because(require_text("reason", &pause.reason)?)
    })
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

/// Refuses an agent's work on a goal that rests.
pub fn only_active(goal: &Goal, command: &Command, caller: &Caller) -> Result<(), Rejection> {
    if caller.actor != Actor::Agent || goal.status == Status::Active || !works(command) {
        return Ok(());
    }
    Err(Rejection::Resting {
        id: goal.id.clone(),
        status: goal.status,
        act: command.name(),
    })
}

/// Whether it is work on the goal, or says that work is done.
fn works(command: &Command) -> bool {
    match command {
        Command::Task { act, .. } => works_on_tasks(act),
        Command::Interpret {
            then: MessageEffect::Act { act, .. },
            ..
        } => works_on_tasks(act),
        // A note says what was found out; with steps or a score it says that work goes on.
        Command::Progress { act } => !matches!(
            **act,
            ProgressCommand::Note {
                steps: None,
                evaluated: None,
                ..
            }
        ),
        Command::RequestCompletion { .. } | Command::Iteration { .. } | Command::End(_) => true,
        _ => false,
    }
}

fn works_on_tasks(act: &TaskCommand) -> bool {
    match act {
        TaskCommand::Step { came_to, .. } => matches!(**came_to, StepOutcome::Begun),
        // Talk with the user and the planner, and what came of something that was begun before.
        TaskCommand::Plan { .. }
        | TaskCommand::FailPlan(_)
        | TaskCommand::Answer { .. }
        | TaskCommand::Ask(_)
        | TaskCommand::Withdraw(_)
        | TaskCommand::AskToAbandon { .. }
        | TaskCommand::Summarize { .. } => false,
        TaskCommand::Set { .. }
        | TaskCommand::Add { .. }
        | TaskCommand::Import(_)
        | TaskCommand::Mark { .. }
        | TaskCommand::Give { .. }
        | TaskCommand::RequestPlan(_) => true,
    }
}

/// The event that focuses the outer goal, for the same write as the end of `goal`. `None` unless
/// `events` end the goal by an act of the user, and the caller works on it.
pub fn focus_back(
    state: &State,
    goal: &Goal,
    events: &[PendingEvent],
    caller: &Caller,
) -> Option<PendingEvent> {
    let of_goal = |it: &&PendingEvent| it.goal_id.as_ref() == Some(&goal.id);
    let ended = events
        .iter()
        .filter(of_goal)
        .find_map(|it| match &it.payload {
            Payload::GoalAborted(_) => Some((caller.actor, By::Caller)),
            // The gate records the completion, but the actor who requested it counts.
            Payload::GoalCompleted(_) => Some((goal.gate.requested.as_ref()?.by?, By::Rule)),
            _ => None,
        });
    let (Actor::User, by) = ended? else {
        return None;
    };
    // Focusing a goal of another tool would adopt it, which nobody asked for here.
    let outer = outer_of(state, goal).filter(|outer| !needs_adoption(outer))?;
    if focused(state, caller.session.as_deref()) != Some(&goal.id) {
        return None;
    }
    let focus = GoalFocused {
        reason: format!("goal {} has ended, which was begun from here", goal.id),
    };
    Some(PendingEvent::to(&outer.id, focus).by(by))
}
