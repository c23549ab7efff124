//! Which goal a request acts on, if it is as its caller takes it to be.

use crate::domain::actor::Caller;
use crate::domain::decide::{Pending, Target};
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::domain::rejection::{Class, Rejection};
use crate::domain::select;
use crate::reading::Reading;
use crate::writing::WritingError;

/// What a request says of the goal that it acts on.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    pub caller: &'a Caller,
    /// What was typed for the goal; the focus without it.
    pub goal: Option<&'a str>,
    /// The revision that the caller decided on.
    pub expect: Option<EventId>,
    /// The goal that the caller thinks it acts on.
    pub expect_goal: Option<&'a str>,
}

/// The goal that is meant. `refused` says what the caller may not do at all, which is said before
/// which goal it would be done to.
///
/// # Errors
/// There is no such goal, it is another one or has another revision than the caller expects, or a line
/// cannot be read again.
pub fn target<'a>(
    before: &'a Reading,
    aim: Aim<'_>,
    needs_goal: bool,
    refused: impl FnOnce() -> Option<Rejection>,
) -> Result<Option<Target<'a>>, WritingError> {
    let state = &before.state;
    let goal: Option<&Goal> = match needs_goal {
        true => match select::target(state, aim.goal, aim.caller) {
            Ok(goal) => Some(goal),
            Err(missed) => {
                let refused = refused().filter(|refused| refused.class() == Class::Policy);
                return Err(refused.unwrap_or(missed).into());
            }
        },
        false => None,
    };
    if let Some(named) = aim.expect_goal {
        let named = select::by_text(state, named)?;
        if goal.is_some_and(|goal| goal.id != named.id) {
            let focused = goal.map(|goal| goal.id.clone());
            return Err(Rejection::NotFocused {
                named: named.id.clone(),
                focused,
            }
            .into());
        }
    }
    let Some(goal) = goal else {
        return Ok(None);
    };
    let revision = before.revision(goal)?;
    if let Some(expected) = aim.expect.filter(|expected| revision != Some(*expected)) {
        return Err(Rejection::Stale {
            id: goal.id.clone(),
            expected,
            actual: revision,
        }
        .into());
    }
    Ok(Some(Target {
        goal,
        revision,
        pending: Pending::of(goal, |line| before.id(line))?,
    }))
}
