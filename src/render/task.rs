//! How tasks and their status are shown in lists.

use crate::domain::task::events::Decomposition;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::render::text::{one_line, short};
use crate::render::view::{TaskView, TasksView};

/// Most bytes of a reason in a list; the ledger has all of it.
const REASON: usize = 160;

/// Most keys of evidence that are named, and most bytes of each.
const KEYS: usize = 5;
const KEY: usize = 60;

/// The tree as a Markdown list, a line each, children indented below their parent.
pub(super) fn lines(tasks: &Tasks) -> Vec<String> {
    if tasks.specs.is_empty() {
        return Vec::new();
    }
    let view = TasksView::of(tasks);
    let line = |(depth, task): (usize, &TaskView)| {
        let (id, title) = (one_line(&task.id), one_line(&task.title));
        let indent = "  ".repeat(depth);
        let (mark, note) = (mark(task.status), note(task));
        format!("{indent}- {mark} {id}: {title}{note}")
    };
    view.flat().into_iter().map(line).collect()
}

/// The mark of a task in lists: done, skipped, under way, or still to do.
pub(super) fn mark(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Complete => "[x]",
        TaskStatus::Skipped => "[-]",
        TaskStatus::Active => "[~]",
        TaskStatus::Pending | TaskStatus::Blocked | TaskStatus::Failed => "[ ]",
    }
}

/// What the mark does not tell: ` (blocked: why; 1 of 3 attempts failed; evidence: key)`.
pub(super) fn note(task: &TaskView) -> String {
    let mut said = Vec::new();
    let reason = task.reason.as_deref().map(|text| short(text, REASON));
    let because = |word: &str| match &reason {
        Some(reason) => format!("{word}: {reason}"),
        None => word.to_owned(),
    };
    let failed = task.attempts > 0 && task.status.is_open();
    let attempts = format!(
        "{} of {} attempts failed",
        task.attempts, task.attempts_allowed
    );
    match task.status {
        TaskStatus::Blocked => said.push(because("blocked")),
        TaskStatus::Skipped if reason.is_some() => said.push(because("skipped")),
        TaskStatus::Failed => said.push(because("failed")),
        TaskStatus::Pending | TaskStatus::Active if failed => said.push(because(&attempts)),
        _ => {}
    }
    if failed && matches!(task.status, TaskStatus::Blocked | TaskStatus::Failed) {
        said.push(attempts);
    }
    if task.decomp == Some(Decomposition::Or) {
        said.push("any one of these".to_owned());
    }
    if !task.evidence.is_empty() {
        let keys = task.evidence.iter().take(KEYS).map(|key| short(key, KEY));
        let keys: Vec<String> = keys.collect();
        let more = match task.evidence.len().saturating_sub(KEYS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        said.push(format!("evidence: {}{more}", keys.join(", ")));
    }
    match said.is_empty() {
        true => String::new(),
        false => format!(" ({})", said.join("; ")),
    }
}
