//! Deciding a queue of goals that a plan asks for: each with its first tasks, all in one write. What
//! a plan brought before it does not bring again, whatever became of it since.

use std::collections::BTreeSet;

use crate::domain::actor::Caller;
use crate::domain::command::Planned;
use crate::domain::decide::contracts::{Origin, created};
use crate::domain::decide::{PendingEvent, tasks};
use crate::domain::event::GoalFocused;
use crate::domain::focus::focused;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::limits::Limits;

/// The creation of every goal. The focus moves only where there is none: a queue is worked from its
/// head.
pub fn decide(
    state: &State,
    goals: &[Planned],
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    if goals.is_empty() {
        return Err(Rejection::EmptyField { field: "goals" });
    }
    let known = state.goals.in_turn(|_| true);
    let known: BTreeSet<String> = known
        .map(|goal| goal.contract.objective.trim().to_owned())
        .collect();
    let is_new = |planned: &&Planned| {
        let objective = planned.contract.objective.as_deref();
        objective.is_none_or(|it| !known.contains(it.trim()))
    };
    let new: Vec<&Planned> = goals.iter().filter(is_new).collect();
    if new.is_empty() {
        return Err(Rejection::AlreadyImported { what: "goals" });
    }
    let mut focus = focused(state, caller.session.as_deref()).is_none();
    let mut pending_events = Vec::new();
    for planned in new {
        let id = &planned.goal_id;
        pending_events.push(created(state, id, &planned.contract, &Origin::default())?);
        if std::mem::take(&mut focus) {
            let reason = "the first of those that were created at once".to_owned();
            pending_events.push(PendingEvent::to(id, GoalFocused { reason }));
        }
        let first = tasks::first(&planned.tasks, "import", limits)?;
        pending_events.extend(PendingEvent::all(id, first));
    }
    Ok(pending_events)
}
