//! The boxes of a plan file, set as the tasks of a goal stand. Not one byte outside of the boxes changes.

use std::collections::{BTreeMap, BTreeSet};

use super::formats::{self, Source};
use super::{BoxAt, Format, PlanError, read_as, without_note};
use crate::domain::task::checkbox;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// How a format says in a box that a task stands so; nothing where it has no mark for that.
pub(super) type Marks = fn(TaskStatus) -> Option<&'static str>;

/// By our own table.
pub(super) fn ours(status: TaskStatus) -> Option<&'static str> {
    Some(checkbox::mark(status))
}

/// As tools that know done and open: what is under way is open, and what was skipped is neither.
pub(super) fn plain(status: TaskStatus) -> Option<&'static str> {
    match status {
        TaskStatus::Active => Some(" "),
        status => ours(status),
    }
}

/// As Kiro has them.
pub(super) fn kiro(status: TaskStatus) -> Option<&'static str> {
    match status {
        TaskStatus::Active => Some("-"),
        TaskStatus::Skipped => None,
        status => ours(status),
    }
}

/// A plan file whose boxes are set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synced {
    pub format: &'static str,
    pub text: String,
    /// In the order of the file.
    pub changed: Vec<BoxSet>,
    /// Boxes that are no task of the goal: line and title.
    pub unknown: Vec<(usize, String)>,
    /// Tasks without a box in the file: id and title.
    pub missing: Vec<(String, String)>,
    /// Tasks for which the format has no mark: id, and how each stands.
    pub unsaid: Vec<(String, TaskStatus)>,
}

/// A box that was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoxSet {
    /// From 1.
    pub line: usize,
    pub id: String,
    pub title: String,
    pub from: String,
    pub to: &'static str,
}

/// Sets the boxes of this file. Nothing where its format has none.
///
/// # Errors
/// It cannot be read as a plan.
pub fn sync(source: &Source<'_>, tasks: &Tasks) -> Result<Option<Synced>, PlanError> {
    let format = formats::of(source);
    let Some(marks) = format.marks else {
        return Ok(None);
    };
    let plan = read_as(source, format)?;
    let standing = TaskStatuses::of(tasks);
    let found = Found::of(&plan.boxes, tasks);
    let mut synced = Synced {
        format: format.name,
        text: String::with_capacity(source.text.len()),
        changed: Vec::new(),
        unknown: Vec::new(),
        missing: Vec::new(),
        unsaid: Vec::new(),
    };
    let starts = line_starts(source.text);
    let mut copied = 0;
    for (at, task) in plan.boxes.iter().zip(&found.tasks) {
        let Some(task) = task else {
            synced.unknown.push((at.line + 1, at.title.clone()));
            continue;
        };
        let status = standing.status(&task.id);
        let Some(mark) = marks(status) else {
            synced.unsaid.push((task.id.clone(), status));
            continue;
        };
        let begin = starts.get(at.line).map_or(0, |start| start + at.column);
        let end = begin + at.length;
        let Some(written) = source.text.get(begin..end) else {
            continue;
        };
        if says(at.status) == says(status_of(mark, format)) {
            continue;
        }
        synced.text.push_str(&source.text[copied..begin]);
        synced.text.push_str(mark);
        copied = end;
        synced.changed.push(BoxSet {
            line: at.line + 1,
            id: task.id.clone(),
            title: task.title.clone(),
            from: written.to_owned(),
            to: mark,
        });
    }
    synced.text.push_str(&source.text[copied..]);
    let with_box: BTreeSet<&str> = found.tasks.iter().flatten().map(|it| &*it.id).collect();
    let flat = tasks.flat().into_iter().map(|(_, task)| task);
    let left: BTreeSet<&str> = synced
        .unknown
        .iter()
        .map(|(_, title)| without_note(title))
        .collect();
    // One of several tasks that a box can mean is not missing.
    let missing = flat.filter(|task| {
        let is_without = task.tasks.is_empty() && !with_box.contains(&*task.id);
        is_without && !left.contains(without_note(&task.title))
    });
    synced.missing = missing
        .map(|task| (task.id.clone(), task.title.clone()))
        .collect();
    Ok(Some(synced))
}

/// How a mark of this format is read.
fn status_of(mark: &str, format: &Format) -> TaskStatus {
    match (format.name, mark) {
        ("kiro", "-") => TaskStatus::Active,
        (_, mark) => checkbox::status(mark).unwrap_or_default(),
    }
}

/// As far as boxes tell it.
fn says(status: TaskStatus) -> TaskStatus {
    match status {
        TaskStatus::Blocked | TaskStatus::Failed => TaskStatus::Pending,
        status => status,
    }
}

/// Where each line begins, whatever lines end in.
fn line_starts(text: &str) -> Vec<usize> {
    let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter_map(|(at, byte)| {
        let ends = match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        ends.then_some(at + 1)
    });
    std::iter::once(mark).chain(ends).collect()
}

/// The task of each box.
struct Found<'a> {
    tasks: Vec<Option<&'a TaskSpec>>,
}

impl<'a> Found<'a> {
    /// By id and title, then by the titles from the top level down, then by the title alone; then the
    /// same without notes behind titles. Where several boxes and as many tasks are meant by it, the
    /// first is the first.
    fn of(boxes: &[BoxAt], tasks: &'a Tasks) -> Found<'a> {
        let mut all: Vec<(Vec<&str>, &TaskSpec)> = Vec::new();
        let mut path: Vec<&str> = Vec::new();
        for (depth, task) in tasks.flat() {
            path.truncate(depth);
            path.push(&task.title);
            all.push((path.clone(), task));
        }
        let mut found = Found {
            tasks: vec![None; boxes.len()],
        };
        let as_written: fn(&str) -> &str = |title| title;
        for said in [as_written, without_note] {
            found.fill(
                boxes,
                &all,
                |it| Some((it.own_id.clone()?, said(&it.title).to_owned())),
                |(_, task)| (task.id.clone(), task.title.clone()),
            );
            found.fill(
                boxes,
                &all,
                |it| {
                    Some(
                        it.path
                            .iter()
                            .map(|it| said(it).to_owned())
                            .collect::<Vec<_>>(),
                    )
                },
                |(path, _)| path.iter().map(|it| (*it).to_owned()).collect(),
            );
            found.fill(
                boxes,
                &all,
                |it| Some(said(&it.title).to_owned()),
                |(_, task)| task.title.clone(),
            );
        }
        found
    }

    fn fill<K: Ord>(
        &mut self,
        boxes: &[BoxAt],
        all: &[(Vec<&str>, &'a TaskSpec)],
        of_box: impl Fn(&BoxAt) -> Option<K>,
        of_task: impl Fn(&(Vec<&str>, &TaskSpec)) -> K,
    ) {
        let taken: BTreeSet<&str> = self.tasks.iter().flatten().map(|it| &*it.id).collect();
        let mut by_key: BTreeMap<K, (Vec<usize>, Vec<&'a TaskSpec>)> = BTreeMap::new();
        for (at, it) in boxes.iter().enumerate() {
            if self.tasks[at].is_none()
                && let Some(key) = of_box(it)
            {
                by_key.entry(key).or_default().0.push(at);
            }
        }
        for it in all.iter().filter(|(_, task)| !taken.contains(&*task.id)) {
            by_key.entry(of_task(it)).or_default().1.push(it.1);
        }
        for (at, meant) in by_key.into_values() {
            if at.len() == meant.len() {
                for (at, task) in at.into_iter().zip(meant) {
                    self.tasks[at] = Some(task);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
