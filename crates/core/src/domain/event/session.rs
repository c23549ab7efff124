//! Events of a session: what it works on (without a session, what the project works on), what it notes, that
//! the host goes on, that the user speaks, and what a message is taken to mean.

use std::borrow::Cow;

use crate::domain::event::text::{about, after};
use crate::domain::goal::push_bounded;
use crate::domain::goal::state::{Goal, NOTES, Note};
use crate::domain::id::EventId;
use crate::domain::line::Origin;
use crate::domain::wire::lenient::plain;

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

plain! {
    /// The goal became what a session, or without one the project, works on.
    GoalFocused { reason: String, }
    /// Nothing is worked on, explicitly. Carries no goal.
    GoalUnfocused { reason: String, }
}

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
