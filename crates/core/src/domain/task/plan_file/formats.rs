//! The formats of plan files, in one table: how each is told from others, and how it is read.
//!
//! A format of a tool is told by the file's name or by a shape that no other has. What is told by
//! nothing is a plan in Markdown.

use super::sync::{self, Marks};
use super::write::{self, Written};
use super::{
    Plan, PlanError, backlog, beads, document, kiro, markdown, openspec, own, prd, spec_kit,
    task_master, todos,
};

/// A text that may be a plan.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The path of its file as it was named; empty where it has none.
    pub path: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// Whether its path has these parts behind each other, the last of them at its end.
    pub(super) fn is_named(&self, parts: &[&str]) -> bool {
        let path = self.path.replace('\\', "/");
        let mut all = path.rsplit('/');
        parts.iter().rev().all(|part| all.any(|it| it == *part))
            && parts.last().is_none_or(|last| path.ends_with(last))
    }

    /// Its text without the mark that some editors begin a file with.
    pub(super) fn body(&self) -> &'a str {
        self.text.strip_prefix('\u{feff}').unwrap_or(self.text)
    }
}

/// A format of plan files.
pub struct Format {
    pub name: &'static str,
    /// Whose it is.
    pub is: &'static str,
    /// What it says of order is meant as we mean it.
    pub(super) is_ours: bool,
    detect: fn(&Source<'_>) -> bool,
    pub(super) read: fn(&Source<'_>) -> Result<Plan, PlanError>,
    /// The marks of its boxes, where a file of it can be kept in step with tasks.
    pub(super) marks: Option<Marks>,
    /// A tree of tasks in it, where tasks can be written so.
    pub write: Option<fn(&Written) -> String>,
}

/// The first that a file fits is its format.
pub const FORMATS: [Format; 11] = [
    Format {
        name: "task-master",
        is: "tasks.json of task-master",
        is_ours: false,
        detect: task_master::detect,
        read: task_master::read,
        marks: None,
        write: None,
    },
    Format {
        name: "prd",
        is: "prd.json of ralph loops",
        is_ours: false,
        detect: prd::detect,
        read: prd::read,
        marks: None,
        write: None,
    },
    Format {
        name: "todos",
        is: "a todo list of Claude Code, as JSON",
        is_ours: false,
        detect: todos::detect,
        read: todos::read,
        marks: None,
        write: None,
    },
    Format {
        name: "beads",
        is: "the JSONL export of beads",
        is_ours: false,
        detect: beads::detect,
        read: beads::read,
        marks: None,
        write: None,
    },
    Format {
        name: "json",
        is: "tasks in our own JSON",
        is_ours: true,
        detect: own::detect,
        read: own::read,
        marks: None,
        write: Some(write::json),
    },
    Format {
        name: "document",
        is: "a goal's document of this program",
        is_ours: true,
        detect: document::detect,
        read: document::read,
        marks: None,
        write: None,
    },
    Format {
        name: "backlog",
        is: "a task file of Backlog.md",
        is_ours: false,
        detect: backlog::detect,
        read: backlog::read,
        marks: None,
        write: None,
    },
    Format {
        name: "spec-kit",
        is: "tasks.md of spec-kit",
        is_ours: false,
        detect: spec_kit::detect,
        read: spec_kit::read,
        marks: Some(sync::plain),
        write: Some(write::spec_kit),
    },
    Format {
        name: "kiro",
        is: "tasks.md of a Kiro spec",
        is_ours: false,
        detect: kiro::detect,
        read: kiro::read,
        marks: Some(sync::kiro),
        write: None,
    },
    Format {
        name: "openspec",
        is: "tasks.md of an OpenSpec change",
        is_ours: false,
        detect: openspec::detect,
        read: openspec::read,
        marks: Some(sync::plain),
        write: None,
    },
    MARKDOWN,
];

/// What everything else is.
const MARKDOWN: Format = Format {
    name: "markdown",
    is: "any checklist or list in Markdown",
    is_ours: true,
    detect: |_| true,
    read: |source| {
        let plan = markdown::read(source.text, &markdown::PLAIN)?;
        let decomp = write::decomposition(source.body());
        Ok(Plan { decomp, ..plan })
    },
    marks: Some(sync::ours),
    write: Some(write::markdown),
};

/// The format that a file has. What we wrote is Markdown, whatever another tool once wrote into it.
pub fn of(source: &Source<'_>) -> &'static Format {
    if source.body().starts_with(write::OURS) {
        return &MARKDOWN;
    }
    let mut formats = FORMATS.iter();
    let fits = formats.find(|format| (format.detect)(source));
    fits.unwrap_or(&MARKDOWN)
}

/// The format with this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
