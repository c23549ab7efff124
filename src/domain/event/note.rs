//! Events that remember something of a goal.

use std::borrow::Cow;

use crate::domain::event::meaning::{Meaning, Origin, after};
use crate::domain::goal::state::{Goal, NOTES, push_bounded};
use crate::domain::wire::body::plain;

plain! {
    /// Something worth remembering.
    GoalNoted { note: String, ; next: String, }
    /// A rolling summary that replaces raw history.
    ContextSummarized { summary: String, }
}

impl Meaning for GoalNoted {
    fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        push_bounded(&mut goal.notes, origin.note(&self.note), NOTES);
        goal.next_action = self.next.clone().or(goal.next_action.take());
    }

    fn text(&self) -> Cow<'_, str> {
        format!("{}{}", self.note, after("; next: ", self.next.as_deref())).into()
    }
}

impl Meaning for ContextSummarized {
    fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.context = Some(origin.note(&self.summary));
    }

    fn text(&self) -> Cow<'_, str> {
        (&self.summary).into()
    }
}
