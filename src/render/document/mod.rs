//! A goal's document: frontmatter and body for people and models to read
//! (docs/design/documents.md#rendering).
//!
//! A projection: everything in it stands in the ledger. The Notes, which belong to people, are
//! added by whoever writes the file. No stored text can imitate a section: lines that begin with
//! `#` are escaped, further lines of list items are indented, reports are quoted.

mod blocks;
mod sections;

pub use blocks::{BOXES, LABELS, NONE_GIVEN};

use serde_json::Value;

use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::render::text::short;

/// What a document says beyond the goal itself.
#[derive(Debug, Clone, Copy)]
pub struct DocumentInput<'a> {
    /// The document's path relative to the root.
    pub path: &'a str,
    /// The goal's revision; nothing while no event made one.
    pub revision: Option<EventId>,
    /// Id of the goal's latest event.
    pub event: Option<EventId>,
    /// How a complete goal came to be complete.
    pub audited: Option<Audited>,
}

/// A document without its Notes.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Frontmatter in order; texts and flags only.
    pub header: Vec<(&'static str, Value)>,
    /// Markdown from the blank line before the title to the one before Notes.
    pub body: String,
}

/// The ledger's path relative to the root, as documents name it.
const LEDGER: &str = ".pi/goals/goal_events.jsonl";

/// Most bytes of a title.
const TITLE: usize = 200;

/// Renders a goal's document.
pub fn document(goal: &Goal, facts: &DocumentInput<'_>) -> Rendered {
    Rendered {
        header: header(goal, facts),
        body: sections::body(goal, facts.audited, &title(goal)),
    }
}

fn title(goal: &Goal) -> String {
    short(goal.contract.heading(), TITLE)
}

fn header(goal: &Goal, facts: &DocumentInput<'_>) -> Vec<(&'static str, Value)> {
    let id = |id: EventId| Value::from(id.to_string());
    let all = [
        ("id", Some(goal.id.as_str().into())),
        ("title", Some(title(goal).into())),
        ("status", Some(goal.status.name().into())),
        ("sisyphus", Some(goal.contract.sisyphus.into())),
        ("autoContinue", Some(goal.contract.auto_continue.into())),
        ("createdAt", Some(short(&goal.created_at, 40).into())),
        ("updatedAt", Some(short(&goal.updated_at, 40).into())),
        (
            "endedAt",
            goal.ended_at.as_deref().map(|at| short(at, 40).into()),
        ),
        ("path", Some(facts.path.into())),
        ("ledger", Some(LEDGER.into())),
        ("revision", facts.revision.map(id)),
        ("event", facts.event.map(id)),
        (
            "audited",
            facts.audited.map(|audited| audited.name().into()),
        ),
    ];
    all.into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

#[cfg(test)]
mod tests;
