//! Events of a session's turns: the host goes on, the user speaks, a message is interpreted.

use std::borrow::Cow;

use crate::domain::event::text::about;
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::domain::line::Origin;
use crate::domain::wire::body::plain;

plain! {
    /// A host was told to go on with this revision.
    GoalContinued { revision: EventId, }
    /// The user said something in a session; the text is not kept.
    UserPrompted { }
    /// What a message was taken to mean for the goal.
    MessageInterpreted { action: String, reasoning: String, }
}

impl GoalContinued {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.continuation.go_on();
    }
}

impl UserPrompted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.continuation.hear_the_user();
        goal.runs.hear_the_user();
    }
}

impl MessageInterpreted {
    pub(super) fn text(&self) -> Cow<'_, str> {
        about(&self.action, Some(&self.reasoning))
    }
}
