//! Deciding what the user settles: that findings stand as they are, or that what another program
//! wrote is taken as the user's own act.

use crate::domain::command::Settlement;
use crate::domain::decide::{PendingEvent, lifecycle, must_be_open, said_if_given};
use crate::domain::event::settlement::SettledKind;
use crate::domain::event::{GoalSettled, Payload};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Decides a settlement about `goal`, or about the ledger alone.
pub fn decide(
    state: &State,
    goal: Option<&Goal>,
    settlement: &Settlement,
) -> Result<Vec<PendingEvent>, Rejection> {
    let Settlement {
        settled,
        taken,
        again,
    } = settlement;
    if settled.kind == SettledKind::Contest {
        must_be_a_choice(goal, settled)?;
    }
    let new = state.settled.new_in(settled);
    let mut lines = settled.lines.clone();
    lines.retain(|line| new.contains(line) || again.contains(line));
    if lines.is_empty() {
        return Err(Rejection::NothingToSettle);
    }
    let reason = said_if_given("reason", settled.reason.as_deref())?;
    let mut events = Vec::new();
    if let (Some(goal), false) = (goal, taken.is_empty()) {
        must_be_open(goal)?;
        for payload in taken {
            let taken = taken_over(goal, payload)?;
            events.extend(PendingEvent::all(&goal.id, taken));
        }
    }
    let settled = GoalSettled {
        lines,
        reason,
        ..settled.clone()
    };
    events.push(PendingEvent {
        goal_id: goal.map(|goal| goal.id.clone()),
        ..PendingEvent::about_no_goal(settled)
    });
    Ok(events)
}

/// Refuses a settlement of a contest that takes none of what there is to choose from.
fn must_be_a_choice(goal: Option<&Goal>, settled: &GoalSettled) -> Result<(), Rejection> {
    let Some((goal, contest)) = goal.and_then(|goal| Some((goal, goal.contest.as_ref()?))) else {
        return Err(Rejection::NothingToSettle);
    };
    let mut choices = contest.choices.iter().map(|choice| choice.id);
    match settled.take {
        Some(taken) if choices.any(|id| id == taken) => Ok(()),
        taken => Err(Rejection::NoChoice {
            id: goal.id.clone(),
            named: taken.map(|id| id.to_string()).unwrap_or_default(),
        }),
    }
}

/// What the user takes over, as their own act.
fn taken_over(goal: &Goal, payload: &Payload) -> Result<Option<Payload>, Rejection> {
    Ok(match payload {
        Payload::GoalResumed(_) if goal.status == Status::Active => None,
        Payload::GoalResumed(resumed) => Some(lifecycle::resumed(goal, &resumed.reason)?),
        payload if payload.may_be_taken() => Some(payload.clone()),
        _ => None,
    })
}
