//! The tree, the stack, the next step and evidence, for a person.

use crate::domain::task::condition::Condition;
use crate::domain::task::evidence::EvidenceItem;
use crate::domain::task::state::TaskStatus;
use crate::render::amounts::age;
use crate::render::columns::{fit, padded};
use crate::render::table::{Column, Tabled};
use crate::render::task::{counted, tree as lines, wanted};
use crate::render::text::{bracketed, clean, json_text, one_line, short};
use crate::render::view::{FrameView, NextView, TasksView};

/// Most bytes of a value in a listing; the JSON has all of it.
const VALUE: usize = 200;

/// Longer keys do not widen their column.
const KEY: usize = 32;

/// All tasks, with what their marks do not tell.
pub fn tree(tasks: &TasksView) -> String {
    if tasks.count == 0 {
        return "No tasks. `goal task set FILE` takes them from a checklist, `goal task add TITLE` \
                adds one.\n"
            .to_owned();
    }
    let mut text = format!("{}\n", counted(tasks));
    for line in lines(tasks) {
        text.push_str(&format!("  {line}\n"));
    }
    if tasks.list.is_empty() {
        text.push_str("  The list itself is in the other tool's document.\n");
    }
    if !tasks.removed.is_empty() {
        text.push_str("removed before they were done\n");
        for task in &tasks.removed {
            let name = one_line(&format!("{} {}", task.id, task.title));
            let reason = bracketed(task.reason.as_deref().map(one_line).as_deref());
            text.push_str(&format!("  {name}{reason}\n"));
        }
    }
    text
}

/// The stack, top first.
pub fn stack(frames: &[FrameView]) -> String {
    if frames.is_empty() {
        return "The stack is empty: no task is open.\n".to_owned();
    }
    // Of a task that was begun the tree says that, too.
    let status = |frame: &FrameView| match (frame.waits, frame.status) {
        (false, status) => status.name().to_owned(),
        (true, TaskStatus::Pending) => "waiting".to_owned(),
        (true, status) => format!("{}, waits", status.name()),
    };
    let widest = frames.iter().map(|it| status(it).len()).max();
    let wide = widest.unwrap_or_default().max(7) + 2;
    let line = |frame: &FrameView| {
        let name = one_line(&format!("{} {}", frame.id, frame.title));
        format!("{}{name}\n", padded(&status(frame), wide))
    };
    frames.iter().map(line).collect()
}

/// What to do now, and what the task says of itself.
pub fn next(next: &NextView) -> String {
    let mut text = format!("{}\n", next.text);
    let Some(task) = &next.task else {
        return text;
    };
    let mut said = Vec::new();
    said.extend(task.success_criteria.iter().map(|it| ("criterion", it)));
    said.extend(task.verification_contract.iter().map(|it| ("proof", it)));
    for line in task.details.iter().flat_map(|details| details.lines()) {
        text.push_str(format!("  {}", clean(line)).trim_end());
        text.push('\n');
    }
    for (label, line) in said {
        text.push_str(&format!("  {}{}\n", padded(label, 11), one_line(line)));
    }
    for condition in &task.conditions {
        let mark = if condition.held { "[x]" } else { "[ ]" };
        let condition = one_line(&wanted(&Condition::of(&condition.condition)));
        text.push_str(&format!(
            "  {}{mark} {condition}\n",
            padded("done when", 11)
        ));
    }
    text
}

impl Tabled for EvidenceItem {
    const COLUMNS: &'static [Column<EvidenceItem>] = &[
        Column::left("key", "What conditions ask for", |row: &EvidenceItem, _| {
            one_line(row.key.as_str()).into()
        })
        .most(KEY),
        Column::left(
            "task",
            "The task that it was given to",
            |row: &EvidenceItem, _| row.task_id.as_deref().map(one_line).into(),
        ),
        Column::right(
            "age",
            "How long ago it was given",
            |row: &EvidenceItem, now| age(&row.at, now).into(),
        )
        .chosen(),
        Column::left("source", "Who or what gave it", |row: &EvidenceItem, _| {
            row.source.as_deref().map(|it| fit(it, KEY)).into()
        })
        .chosen(),
        Column::wrapped("value", "Text, or a JSON value", |row: &EvidenceItem, _| {
            short(&json_text(&row.value), VALUE).into()
        }),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_says_of_a_task_that_waits_whether_it_was_begun() {
        let frame = |id: &str, status, waits| FrameView {
            id: id.to_owned(),
            title: "t".to_owned(),
            depth: 0,
            status,
            waits,
        };
        let frames = [
            frame("1", TaskStatus::Pending, false),
            frame("2", TaskStatus::Active, true),
            frame("3", TaskStatus::Pending, true),
        ];
        assert_eq!(
            stack(&frames),
            "pending        1 t\nactive, waits  2 t\nwaiting        3 t\n"
        );
        assert_eq!(stack(&frames[..1]), "pending  1 t\n");
    }
}
