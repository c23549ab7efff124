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

/// What people write in a box in place of these, or before a title that has no box. Words in small
/// letters.
const OTHERS: [(&str, TaskStatus); 24] = [
    ("✅", TaskStatus::Complete),
    ("✔", TaskStatus::Complete),
    ("✓", TaskStatus::Complete),
    ("☑", TaskStatus::Complete),
    ("🗹", TaskStatus::Complete),
    ("🚧", TaskStatus::Active),
    ("⏳", TaskStatus::Active),
    ("🔄", TaskStatus::Active),
    ("☐", TaskStatus::Pending),
    ("⬜", TaskStatus::Pending),
    ("done", TaskStatus::Complete),
    ("complete", TaskStatus::Complete),
    ("completed", TaskStatus::Complete),
    ("finished", TaskStatus::Complete),
    ("todo", TaskStatus::Pending),
    ("to do", TaskStatus::Pending),
    ("wip", TaskStatus::Active),
    ("doing", TaskStatus::Active),
    ("in progress", TaskStatus::Active),
    ("in-progress", TaskStatus::Active),
    ("blocked", TaskStatus::Blocked),
    ("skipped", TaskStatus::Skipped),
    ("cancelled", TaskStatus::Skipped),
    ("canceled", TaskStatus::Skipped),
];

/// The mark of a task that stands so.
pub fn mark(status: TaskStatus) -> &'static str {
    let row = MARKS.iter().find(|(_, of)| *of == status);
    row.map_or(" ", |(mark, _)| mark)
}

/// How a task with this mark stands; nothing for a mark that is in no table.
pub fn status(mark: &str) -> Option<TaskStatus> {
    let small = mark.to_lowercase();
    let others = OTHERS.iter().filter(|(written, _)| *written == small);
    let mut rows = MARKS
        .iter()
        .filter(|(written, _)| *written == mark)
        .chain(others);
    rows.next().map(|(_, status)| *status)
}

/// How a task stands by a sign before or behind its title, and the title without it.
pub fn signed(title: &str) -> Option<(TaskStatus, &str)> {
    let signs = OTHERS.iter().filter(|(sign, _)| !sign.is_ascii());
    // A sign can be shown as a picture.
    let shown = '\u{fe0f}';
    let mut found = signs.filter_map(|(sign, status)| {
        let before = title.strip_prefix(sign);
        let before = before.and_then(|rest| rest.trim_start_matches(shown).strip_prefix(' '));
        let behind = || {
            let rest = title.trim_end_matches(shown).strip_suffix(sign)?;
            rest.strip_suffix(' ')
        };
        before.or_else(behind).map(|rest| (*status, rest))
    });
    found.find(|(_, title)| !title.trim().is_empty())
}
