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
    GoalContinued {
        revision: EventId,
        ;
        /// How many continuations in a row without a result are allowed.
        max_continuations: u32,
        /// How the files of the work tree stood: the same text where they stood the same.
        tree: String,
    }
    /// The user said something in a session; the text is not kept.
    UserPrompted { }
    /// What a message was taken to mean for the goal.
    MessageInterpreted { action: String, reasoning: String, }
}

impl GoalContinued {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.continuation.go_on(self);
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
    /// Whether the goal has a note in the same words, and the same next step where one is given.
    pub(in crate::domain) fn is_known(&self, goal: &Goal) -> bool {
        let has_note = || {
            goal.notes
                .iter()
                .any(|it| says_the_same(&it.text, &self.note))
        };
        let is_next = |next: &String| {
            let known = goal.next_action.as_deref();
            known.is_some_and(|it| says_the_same(it, next))
        };
        self.next.as_ref().is_none_or(is_next) && has_note()
    }

    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        push_bounded(&mut goal.notes, Note::of(&self.note, origin), NOTES);
        goal.next_action = self.next.clone().or(goal.next_action.take());
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{}{}", self.note, after("; next: ", self.next.as_deref())).into()
    }
}

/// Whether two texts have the same words, whatever their spaces and the case of their letters. Asked at
/// each note of a replay, so it ends at the first word that differs.
fn says_the_same(one: &str, other: &str) -> bool {
    fn lower(word: &str) -> impl Iterator<Item = char> {
        word.chars().flat_map(char::to_lowercase)
    }
    let mut others = other.split_whitespace();
    let mut words = one.split_whitespace();
    let same = |word: &str| {
        let other = others.next();
        other.is_some_and(|other| word == other || lower(word).eq(lower(other)))
    };
    words.all(same) && others.next().is_none()
}

impl ContextSummarized {
    pub(super) fn apply(&self, goal: &mut Goal, origin: &Origin<'_>) {
        goal.context = Some(Note::of(&self.summary, origin));
    }
}
