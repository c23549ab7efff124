//! How tasks and their status are shown in lists.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::task::condition::Condition;
use crate::domain::task::plan_file::instead_of_note;
use crate::domain::task::spec::Decomposition;
use crate::domain::task::state::{Removed, TaskStatus, Tasks};
use crate::render::columns::sealed;
use crate::render::marks::of_task;
use crate::render::text::{count, one_line, short};
use crate::render::view::{TaskView, TasksView};

/// Most bytes of a reason in a list; the ledger has all of it.
const REASON: usize = 160;

/// Most bytes of an id and a title where lines are short.
const ID: usize = 60;
pub(super) const TITLE: usize = 160;

/// Most keys of evidence that are named, and most bytes of each.
const KEYS: usize = 5;
const KEY: usize = 60;

/// Most tasks that a prompt lists of those that are open, and of those that were skipped.
pub(super) const LISTED: usize = 50;

/// The tasks that a list of limited length shows: the first open ones and the first skipped ones.
/// Completed tasks are only counted.
pub(super) struct Listed<'a> {
    /// In the order of the tree, each with its depth.
    pub(super) tasks: Vec<(usize, &'a TaskView)>,
    /// The line about the others; nothing where there are none.
    pub(super) rest: Option<String>,
}

impl<'a> Listed<'a> {
    /// All of them, where they are few.
    pub(super) fn of(view: &'a TasksView) -> Listed<'a> {
        let mut tasks = view.flat();
        if tasks.len() <= 2 * LISTED {
            return Listed { tasks, rest: None };
        }
        let kind = |task: &TaskView| match task.status {
            TaskStatus::Complete => DONE,
            status if status.is_open() => OPEN,
            _ => SKIPPED,
        };
        let (mut room, mut left_out) = ([LISTED, LISTED, 0], [0_u64; 3]);
        tasks.retain(|(_, task)| {
            let kind = kind(task);
            let has_room = room[kind] > 0;
            room[kind] -= usize::from(has_room);
            left_out[kind] += u64::from(!has_room);
            has_room
        });
        let said: Vec<String> = [(OPEN, "open"), (SKIPPED, "skipped"), (DONE, "done")]
            .into_iter()
            .filter(|(kind, _)| left_out[*kind] > 0)
            .map(|(kind, name)| format!("{} {name}", left_out[kind]))
            .collect();
        let rest = format!(
            "- … and {} more ({}): `goal task tree` shows all",
            left_out.iter().sum::<u64>(),
            said.join(", ")
        );
        Listed {
            tasks,
            rest: Some(rest),
        }
    }
}

const OPEN: usize = 0;
const SKIPPED: usize = 1;
const DONE: usize = 2;

/// The evidence that is seen at the end of a path of task ids; empty for the goal.
pub(super) fn evidence(tasks: &Tasks, path: &[&str]) -> BTreeMap<String, Value> {
    let seen = tasks.evidence.seen_by(path);
    let all = seen.values().into_iter();
    all.map(|(key, value)| (key.to_string(), (*value).clone()))
        .collect()
}

/// What a condition asks for, in words.
pub(super) fn wanted(condition: &Condition<'_>) -> String {
    match condition {
        Condition::HasEvidence { key } => format!("evidence `{key}`"),
        Condition::PredicateTrue { predicate } => format!("the evaluator finds {predicate}"),
        Condition::Verified { contract } => format!("it is proved: {contract}"),
        Condition::Unusable { kind } => {
            format!("a condition of kind `{kind}`, which is not supported and never true")
        }
    }
}

/// The tree as a Markdown list, a line each, children indented below their parent.
pub(super) fn lines(tasks: &Tasks) -> Vec<String> {
    if tasks.specs.is_empty() {
        return Vec::new();
    }
    let view = TasksView::of(tasks);
    let line = |(depth, task): (usize, &TaskView)| {
        let (id, title) = (one_line(&task.id), one_line(&task.title));
        line(depth, task, &id, &title, &note_behind(&title, task))
    };
    view.flat().into_iter().map(line).collect()
}

/// The same for a prompt, which shows a limited number of tasks.
pub(super) fn some_lines(tasks: &Tasks) -> Vec<String> {
    if tasks.specs.is_empty() {
        return Vec::new();
    }
    let view = TasksView::of(tasks);
    let listed = Listed::of(&view);
    let lines = listed.tasks.into_iter();
    let lines = lines.map(|(depth, task)| brief(depth, task));
    lines.chain(listed.rest).collect()
}

/// Tasks that were taken off the list although nobody did them, a line each.
pub(super) fn removed_lines(tasks: &Tasks) -> Vec<String> {
    let removed = &tasks.removed;
    let line = |task: &Removed| {
        let (id, title) = (short(&task.id, ID), short(&task.title, TITLE));
        let reason = task.reason.as_deref().map(|reason| short(reason, REASON));
        let reason = reason.unwrap_or_else(|| "no reason given".into());
        format!("- {id}: {title} ({reason})")
    };
    let mut lines: Vec<String> = removed.iter().take(2 * LISTED).map(line).collect();
    let more = removed.len().saturating_sub(2 * LISTED);
    if more > 0 {
        lines.push(format!("- … and {more} more"));
    }
    lines
}

/// A task in a line of bounded length.
pub(super) fn brief(depth: usize, task: &TaskView) -> String {
    let (id, title) = (short(&task.id, ID), short(&task.title, TITLE));
    // More indentation would only make lines longer.
    line(depth.min(8), task, &id, &title, &note(task))
}

fn line(depth: usize, task: &TaskView, id: &str, title: &str, note: &str) -> String {
    let (indent, mark) = ("  ".repeat(depth), mark(task.status));
    format!("{indent}- {mark} {id}: {title}{note}")
}

/// `3 tasks, 1 open; completion waits for the open ones`. Where none is open, completion waits for none.
pub(super) fn counted(tasks: &TasksView) -> String {
    let any = match tasks.decomp {
        Decomposition::Or if tasks.list.len() > 1 => ", any one of the top level is enough",
        _ => "",
    };
    let holds = match tasks.block_completion && tasks.open > 0 {
        true => "; completion waits for the open ones",
        false => "",
    };
    format!(
        "{}, {} open{any}{holds}",
        count(tasks.count, "task"),
        tasks.open
    )
}

/// A line for each task, children indented below their parent.
pub(super) fn tree(tasks: &TasksView) -> Vec<String> {
    let line = |(depth, task): (usize, &TaskView)| {
        let name = sealed(&one_line(&format!("{} {}", task.id, task.title)));
        let (mark, note) = (mark(task.status), note_behind(&one_line(&task.title), task));
        format!("{}{mark} {name}{note}", "  ".repeat(depth))
    };
    tasks.flat().into_iter().map(line).collect()
}

/// The mark of a task in lists, as a checklist has it.
pub(super) fn mark(status: TaskStatus) -> String {
    format!("[{}]", of_task(status).mark)
}

/// The note of the task; where it has none and its title ends as one does, that it is so titled.
fn note_behind(title: &str, task: &TaskView) -> String {
    match note(task) {
        note if note.is_empty() => instead_of_note(title),
        note => note,
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
    if !task.waits_for.is_empty() {
        let ids: Vec<String> = task.waits_for.iter().map(|id| short(id, ID)).collect();
        said.push(format!("waits for {}", ids.join(", ")));
    }
    if task.decomp == Some(Decomposition::Or) {
        said.push("any one of these".to_owned());
    }
    if !task.evidence.is_empty() {
        let keys = task
            .evidence
            .iter()
            .take(KEYS)
            .map(|key| short(key.as_str(), KEY));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::render::testing::tasks;

    #[test]
    fn few_tasks_are_listed_whole_and_of_many_what_is_open_first() {
        let few = tasks(100, |_| 'c');
        assert_eq!(some_lines(&few).len(), 100);
        let many = tasks(10_000, |n| match n % 4 {
            0 => 'o',
            1 => 's',
            _ => 'c',
        });
        let lines = some_lines(&many);
        assert_eq!(lines.len(), 101);
        assert!(lines[0].starts_with("- [ ] t0: x"), "{}", lines[0]);
        assert!(lines[1].starts_with("- [-] t1: x"), "{}", lines[1]);
        assert!(lines[99].starts_with("- [-] t197: x"), "{}", lines[99]);
        assert_eq!(
            lines[100],
            "- … and 9900 more (2450 open, 2450 skipped, 5000 done): `goal task tree` shows all"
        );
        assert!(lines.iter().all(|line| line.len() < 300));
        let done = some_lines(&tasks(101, |_| 'c'));
        assert_eq!(
            done,
            ["- … and 101 more (101 done): `goal task tree` shows all"]
        );
    }

    #[test]
    fn a_title_that_ends_as_a_note_does_is_told_from_one() {
        let titled = |title: &str| {
            let mut tasks = tasks(1, |_| 'o');
            tasks.specs[0].title = title.to_owned();
            let view = TasksView::of(&tasks);
            (tree(&view).remove(0), lines(&tasks).remove(0))
        };
        let (in_tree, in_document) = titled("Pay (waits for 1)");
        assert_eq!(in_tree, "[ ] t0 Pay (waits for 1) (so titled)");
        assert_eq!(in_document, "- [ ] t0: Pay (waits for 1) (so titled)");
        assert_eq!(titled("Pay (all of it)").0, "[ ] t0 Pay (all of it)");
    }

    #[test]
    fn a_condition_is_said_in_words() {
        let evidence = json!({ "kind": "hasEvidence", "key": "origin" });
        assert_eq!(wanted(&Condition::of(&evidence)), "evidence `origin`");
        let predicate = json!({ "kind": "predicateTrue", "pred": "it is cheap" });
        let said = wanted(&Condition::of(&predicate));
        assert_eq!(said, "the evaluator finds \"it is cheap\"");
        let odd = wanted(&Condition::of(&json!({ "kind": "js", "code": "1" })));
        assert_eq!(
            odd,
            "a condition of kind `js`, which is not supported and never true"
        );
    }
}
