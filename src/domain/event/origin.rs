//! What events have in common: where each comes from, and pieces of their texts.

use std::borrow::Cow;

use crate::domain::actor::Actor;
use crate::domain::goal::state::Note;
use crate::domain::line::LineRef;

/// Who wrote an event, when, and where it stands.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::domain) struct Origin<'a> {
    pub at: &'a str,
    pub by: Option<Actor>,
    pub session: Option<&'a str>,
    /// The line is one of ours.
    pub ours: bool,
    pub line: LineRef,
}

impl Origin<'_> {
    /// A text to be remembered, with its author and its time.
    pub fn note(&self, text: &str) -> Note {
        Note {
            text: text.to_owned(),
            by: self.by,
            at: self.at.to_owned(),
        }
    }
}

/// `1 task`, `2 tasks`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// An id, and what is said about it where something is.
pub(super) fn about<'a>(id: &'a str, text: Option<&str>) -> Cow<'a, str> {
    match text {
        Some(text) if !text.trim().is_empty() => format!("{id}: {text}").into(),
        _ => id.into(),
    }
}

/// A text behind the words that lead to it; nothing where there is none.
pub(super) fn after(before: &str, text: Option<&str>) -> String {
    match text {
        Some(text) if !text.trim().is_empty() => format!("{before}{text}"),
        _ => String::new(),
    }
}

/// A text in brackets; nothing where there is none.
pub(super) fn bracketed(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" ({text})"))
}
