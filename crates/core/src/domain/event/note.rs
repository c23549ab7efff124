//! Events that remember something of a goal.

use std::borrow::Cow;

use crate::domain::event::text::after;
use crate::domain::goal::bounded::push_bounded;
use crate::domain::goal::state::{Goal, NOTES, Note};
use crate::domain::line::Origin;
use crate::domain::wire::body::plain;

plain! {
    /// Something worth remembering.
    GoalNoted { note: String, ; next: String, }
    /// A rolling summary that replaces raw history.
    ContextSummarized { summary: String, }
}

impl GoalNoted {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        push_bounded(&mut goal.notes, Note::of(&self.note, origin), NOTES);
        goal.next_action = self.next.clone().or(goal.next_action.take());
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}{}", self.note, after("; next: ", self.next.as_deref())).into()
    }
}

impl ContextSummarized {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.context = Some(Note::of(&self.summary, origin));
    }
}
