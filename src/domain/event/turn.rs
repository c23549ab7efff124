//! Events of a session's turns: the host goes on, the user speaks, a message is interpreted.

use std::borrow::Cow;

use crate::domain::event::meaning::{Meaning, Origin, about};
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::domain::wire::body::plain;

plain! {
    /// A host was told to go on with this revision.
    GoalContinued { revision: EventId, }
    /// The user said something in a session; the text is not kept.
    UserPrompted { }
    /// What a message was taken to mean for the goal.
    MessageInterpreted { action: String, reasoning: String, }
}

impl Meaning for GoalContinued {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.continuation.go_on();
    }

    fn text(&self) -> Cow<'_, str> {
        "".into()
    }
}

impl Meaning for UserPrompted {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.continuation.hear_the_user();
        goal.runs.hear_the_user();
    }

    fn text(&self) -> Cow<'_, str> {
        "".into()
    }
}

impl Meaning for MessageInterpreted {
    fn apply(&self, _: &mut Goal, _: &Origin<'_>) {}

    fn text(&self) -> Cow<'_, str> {
        about(&self.action, Some(&self.reasoning))
    }
}
