//! Events of the focus: what a session, or without one the project, works on.

use std::borrow::Cow;

use crate::domain::event::meaning::{Meaning, Origin};
use crate::domain::goal::state::Goal;
use crate::domain::wire::body::plain;

plain! {
    /// The goal became what a session, or without one the project, works on.
    GoalFocused { reason: String, }
    /// Nothing is worked on, explicitly. Carries no goal.
    GoalUnfocused { reason: String, }
}

impl Meaning for GoalFocused {
    fn apply(&self, _: &mut Goal, _: &Origin<'_>) {}

    fn text(&self) -> Cow<'_, str> {
        (&self.reason).into()
    }
}

impl Meaning for GoalUnfocused {
    fn apply(&self, _: &mut Goal, _: &Origin<'_>) {}

    fn text(&self) -> Cow<'_, str> {
        (&self.reason).into()
    }
}
