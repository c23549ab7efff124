//! How a task's status is shown in lists.

use crate::domain::task::state::TaskStatus;

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
