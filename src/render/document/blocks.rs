//! Stored text as Markdown blocks that stay within their section.

use crate::render::contract::indented;
use crate::render::escape::escape;
use crate::render::text::clean;

/// The bold labels under Boundaries and constraints, in order.
pub const LABELS: [&str; 5] = [
    "**Boundaries**",
    "**Constraints**",
    "**If blocked**",
    "**Verification contract**",
    "**Checks**",
];

/// What stands where the contract says nothing.
pub const NONE_GIVEN: &str = "_none given_";

/// Boxes that people tick at a criterion: a reader takes them off.
pub const BOXES: [&str; 3] = ["[ ] ", "[x] ", "[X] "];

/// A text of any number of lines.
pub(super) fn paragraph(text: &str) -> String {
    let clean = clean(text);
    let text = clean.trim_matches('\n').trim_end();
    if text.is_empty() {
        return NONE_GIVEN.to_owned();
    }
    escape(text).into_owned()
}

/// A text among the labels. A label is told by its whole line, so the text must not have one.
pub(super) fn paragraph_under_label(text: &str) -> String {
    let unlabelled = |line: &str| {
        if LABELS.contains(&line.trim_end()) {
            format!("\\{line}")
        } else {
            line.to_owned()
        }
    };
    let lines: Vec<String> = paragraph(text).lines().map(unlabelled).collect();
    lines.join("\n")
}

/// A list, or `_none given_`.
pub(super) fn list<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<String> = items.iter().map(|text| item(text.as_ref())).collect();
    if items.is_empty() {
        return NONE_GIVEN.to_owned();
    }
    items.join("\n")
}

/// `- ` and the text, its further lines indented by two spaces.
pub(super) fn item(text: &str) -> String {
    let clean = clean(text);
    let text = indented(&escape(clean.trim()));
    format!("- {text}").trim_end().to_owned()
}
