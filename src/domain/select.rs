//! Which goal a command means: what was typed, or the focus.

use crate::domain::actor::{Actor, Caller};
use crate::domain::focus::focused;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// The goal that `selector` names: an id, or any unambiguous prefix or suffix of one. An exact id
/// always wins.
pub fn by_text<'a>(state: &'a State, selector: &str) -> Result<&'a Goal, Rejection> {
    if let Some(goal) = selector
        .parse::<GoalId>()
        .ok()
        .and_then(|id| state.goals.get(&id))
    {
        return Ok(goal);
    }
    let matches = |goal: &&Goal| {
        let id = goal.id.as_str();
        !selector.is_empty() && (id.starts_with(selector) || id.ends_with(selector))
    };
    let found: Vec<&Goal> = state.in_order().into_iter().filter(matches).collect();
    match found[..] {
        [goal] => Ok(goal),
        [] => Err(Rejection::UnknownGoal {
            selector: selector.to_owned(),
        }),
        _ => Err(Rejection::AmbiguousGoal {
            selector: selector.to_owned(),
            candidates: found.iter().map(|goal| goal.id.clone()).collect(),
        }),
    }
}

/// The goal a command acts on: what was named, else the focus. For an agent a name only asserts:
/// any other goal than its focused one is refused (DESIGN §4.2).
pub fn target<'a>(
    state: &'a State,
    selector: Option<&str>,
    caller: &Caller,
) -> Result<&'a Goal, Rejection> {
    let focus = focused(state, caller.session.as_deref());
    let Some(selector) = selector else {
        let goal = focus.and_then(|id| state.goals.get(id));
        return goal.ok_or_else(|| Rejection::no_focus(state));
    };
    let goal = by_text(state, selector)?;
    if caller.actor == Actor::Agent && focus != Some(&goal.id) {
        return Err(Rejection::NotFocused {
            named: goal.id.clone(),
            focused: focus.cloned(),
        });
    }
    Ok(goal)
}
