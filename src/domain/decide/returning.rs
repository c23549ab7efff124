//! Goals come back in order: when the user ends the goal that they work on, focus returns to the
//! one that was focused when it was created. Focus is the user's, so what an agent ends leaves
//! nothing focused; the receipt names the goal that waits.

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::{By, PendingEvent, needs_adoption};
use crate::domain::event::{GoalFocused, Payload};
use crate::domain::focus::{focused, outer_of};
use crate::domain::goal::state::Goal;
use crate::domain::state::State;

/// The focus on the outer goal, in the same write as the end of `goal`; nothing where `events` do
/// not end it by the user's act, or the caller works on something else.
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
            // The gate records the verdict; whoever asked for it has completed the goal.
            Payload::GoalCompleted(_) => Some((goal.gate.requested.as_ref()?.by?, By::Rule)),
            _ => None,
        });
    let (Actor::User, by) = ended? else {
        return None;
    };
    // To focus a goal of another tool would take it over, which nobody asked for here.
    let outer = outer_of(state, goal).filter(|outer| !needs_adoption(outer))?;
    if focused(state, caller.session.as_deref()) != Some(&goal.id) {
        return None;
    }
    let focus = GoalFocused {
        reason: format!("goal {} has ended, which was begun from here", goal.id),
    };
    Some(PendingEvent {
        by,
        ..PendingEvent::to(&outer.id, focus)
    })
}
