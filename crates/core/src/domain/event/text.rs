//! Pieces of the texts of events.

use std::borrow::Cow;

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
pub fn bracketed(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" ({text})"))
}
