//! `tasks.md` of an OpenSpec change: numbered headings, and below them boxes that are numbered alike.

use super::formats::Source;
use super::markdown::{self, PLAIN};
use super::{Plan, PlanError};

pub(super) fn detect(source: &Source<'_>) -> bool {
    source.is_named(&["openspec", "changes", "tasks.md"])
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    markdown::read(source.text, &PLAIN)
}
