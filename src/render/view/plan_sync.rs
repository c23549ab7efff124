//! A plan file whose boxes were set, as interfaces show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::task::plan_file::Synced;
use crate::render::text::{one_line, short};

/// What became of the boxes of a plan file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncedView {
    pub file: String,
    pub format: String,
    /// The file was written; not where nothing changes, and not with `--dry-run`.
    pub written: bool,
    /// The boxes that are set otherwise than before, in the order of the file.
    pub changed: Vec<BoxView>,
    /// Boxes that are no task of the goal.
    pub unknown: Vec<UnknownBox>,
    /// Ids of tasks, with none below them, that have no box in the file.
    pub missing: Vec<String>,
    /// Ids of tasks for which the format has no mark; their boxes stay as they are.
    pub unsaid: Vec<String>,
}

/// A box that is set.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoxView {
    pub line: usize,
    /// The task's.
    pub id: String,
    pub title: String,
    /// The mark before.
    pub from: String,
    pub to: String,
}

/// A box that is no task of the goal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnknownBox {
    pub line: usize,
    pub title: String,
}

/// Most boxes of each kind that a person is told of; the JSON has all of them.
const LISTED: usize = 20;

/// Most bytes of a title.
const TITLE: usize = 100;

impl SyncedView {
    pub fn of(file: &str, synced: &Synced, written: bool) -> SyncedView {
        let changed = synced.changed.iter().map(|it| BoxView {
            line: it.line,
            id: it.id.clone(),
            title: it.title.clone(),
            from: it.from.clone(),
            to: it.to.to_owned(),
        });
        let unknown = synced.unknown.iter().map(|(line, title)| UnknownBox {
            line: *line,
            title: title.clone(),
        });
        SyncedView {
            file: file.to_owned(),
            format: synced.format.to_owned(),
            written,
            changed: changed.collect(),
            unknown: unknown.collect(),
            missing: synced.missing.iter().map(|(id, _)| id.clone()).collect(),
            unsaid: synced.unsaid.iter().map(|(id, _)| id.clone()).collect(),
        }
    }

    /// For a person.
    pub fn text(&self) -> String {
        let file = one_line(&self.file);
        let boxes = |count: usize| match count {
            1 => "1 box".to_owned(),
            more => format!("{more} boxes"),
        };
        let mut text = match (self.changed.len(), self.written) {
            (0, _) => format!("The boxes of {file} are as the tasks stand.\n"),
            (changed, true) => format!("Set {} of {file}.\n", boxes(changed)),
            (changed, false) => format!("Would set {} of {file}.\n", boxes(changed)),
        };
        let changed = self.changed.iter().map(|it| {
            let name = short(&one_line(&format!("{} {}", it.id, it.title)), TITLE);
            let from = match it.from.trim() {
                "" => " ".to_owned(),
                mark => one_line(mark),
            };
            format!("line {}: [{from}] to [{}] {name}", it.line, it.to)
        });
        text.push_str(&listed(changed.collect()));
        if !self.unknown.is_empty() {
            text.push_str("No task of the goal, or not clear which:\n");
            let unknown = self.unknown.iter();
            let unknown = unknown
                .map(|it| format!("line {}: {}", it.line, short(&one_line(&it.title), TITLE)));
            text.push_str(&listed(unknown.collect()));
        }
        for (ids, what) in [
            (&self.missing, "Tasks without a box in it"),
            (
                &self.unsaid,
                "Tasks that stand as no mark of this format says",
            ),
        ] {
            if !ids.is_empty() {
                let ids = short(&one_line(&ids.join(", ")), 2 * TITLE);
                text.push_str(&format!("{what}: {ids}\n"));
            }
        }
        text
    }
}

fn listed(lines: Vec<String>) -> String {
    let mut text = String::new();
    for line in lines.iter().take(LISTED) {
        text.push_str(&format!("  {line}\n"));
    }
    let more = lines.len().saturating_sub(LISTED);
    if more > 0 {
        text.push_str(&format!("  … and {more} more, which --json shows\n"));
    }
    text
}
