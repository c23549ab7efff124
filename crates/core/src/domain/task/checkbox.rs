//! The marks of a checkbox: one table for what is written and for what is read.

use crate::domain::task::state::TaskStatus;

/// Of the rows with one status the first is written. A task that is blocked or failed is still to be
/// done, and the words beside its mark say why it is not.
const MARKS: [(&str, TaskStatus); 8] = [
    (" ", TaskStatus::Pending),
    ("x", TaskStatus::Complete),
    ("X", TaskStatus::Complete),
    ("-", TaskStatus::Skipped),
    ("~", TaskStatus::Active),
    ("/", TaskStatus::Active),
    (" ", TaskStatus::Blocked),
    (" ", TaskStatus::Failed),
];

/// The mark of a task that stands so.
pub fn mark(status: TaskStatus) -> &'static str {
    let row = MARKS.iter().find(|(_, of)| *of == status);
    row.map_or(" ", |(mark, _)| mark)
}

/// How a task with this mark stands; nothing for a mark that is not in the table.
pub fn status(mark: &str) -> Option<TaskStatus> {
    let row = MARKS.iter().find(|(written, _)| *written == mark);
    row.map(|(_, status)| *status)
}
