//! How tasks and their status are shown in lists.

use crate::domain::task::events::TaskSpec;
use crate::domain::task::standing::Standing;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::render::text::one_line;

/// The tree as a Markdown list, a line each, children indented below their parent.
pub(super) fn lines(tasks: &Tasks) -> Vec<String> {
    let standing = Standing::of(tasks);
    let line = |(depth, task): (usize, &TaskSpec)| {
        let status = standing.status(&task.id);
        let (id, title) = (one_line(&task.id), one_line(&task.title));
        let indent = "  ".repeat(depth);
        format!("{indent}- {} {id}: {title}{}", mark(status), note(status))
    };
    tasks.flat().into_iter().map(line).collect()
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

/// What the mark does not tell.
pub(super) fn note(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Blocked => " (blocked)",
        TaskStatus::Failed => " (failed)",
        _ => "",
    }
}
