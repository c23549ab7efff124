//! Returns focus to the outer goal: when the user ends the goal that they work on, focus goes back
//! to the goal that was focused when it was created. Only the user moves focus, so when an agent
//! ends a goal, no goal is focused; the receipt names the outer goal.

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::{By, PendingEvent, needs_adoption};
use crate::domain::event::{GoalFocused, Payload};
use crate::domain::focus::{focused, outer_of};
use crate::domain::goal::state::Goal;
use crate::domain::state::State;

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
