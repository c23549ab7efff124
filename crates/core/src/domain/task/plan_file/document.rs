//! A document of a goal, as this program writes it: the tasks are the list below `Tasks`. Behind a
//! title, in brackets, is what its mark does not tell.

use super::formats::Source;
use super::markdown::{self, PLAIN};
use super::{Plan, PlanError, front};
use crate::domain::task::spec::{Decomposition, TaskGiven};
use crate::domain::task::state::TaskStatus;

pub(super) fn detect(source: &Source<'_>) -> bool {
    let (front, text, _) = front::split(source.text);
    let has = |name| front::field(front, name).is_some();
    has("ledger") && has("revision") && section(text).is_some()
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let (front, text, _) = front::split(source.text);
    let section = section(text).ok_or(PlanError::NoTasks)?;
    let mut plan = markdown::read(section, &PLAIN)?;
    plan.title = front::field(front, "title");
    plan.tasks.iter_mut().for_each(take_note_off);
    Ok(plan)
}

/// The text below the heading `Tasks`.
fn section(text: &str) -> Option<&str> {
    let (_, below) = text.split_once("\n## Tasks\n")?;
    Some(
        below
            .split_once("\n## ")
            .map_or(below, |(section, _)| section),
    )
}

/// What stands behind a title that ends as a note does.
const NO_NOTE: &str = "so titled";

/// What a document writes behind this title where it has no note: nothing, but for a title that ends
/// as one does.
pub fn instead_of_note(title: &str) -> String {
    let mut task = TaskGiven {
        title: title.to_owned(),
        ..TaskGiven::default()
    };
    take_note_off(&mut task);
    let same = title.ends_with(&task.title) && task.status.is_none() && task.decomp.is_none();
    match same && task.after.is_empty() {
        true => String::new(),
        false => format!(" ({NO_NOTE})"),
    }
}

fn take_note_off(task: &mut TaskGiven) {
    if task.own_id.is_none()
        && let Some((id, title)) = task.title.split_once(": ")
        && !id.contains(char::is_whitespace)
    {
        task.own_id = Some(id.to_owned());
        task.title = title.to_owned();
    }
    let mut below = std::mem::take(&mut task.tasks);
    below.iter_mut().for_each(take_note_off);
    if let Some(noted) = task.title.strip_suffix(')') {
        // A reason may have brackets of its own.
        let begins = noted.rmatch_indices(" (").map(|(at, _)| at);
        let mut read = begins.filter_map(|at| with_note(task, &noted[..at], &noted[at + 2..]));
        if let Some(read) = read.next() {
            *task = read;
        }
    }
    task.tasks = below;
}

/// The task with this title and what the note says; nothing where that is no note.
fn with_note(task: &TaskGiven, title: &str, note: &str) -> Option<TaskGiven> {
    let mut read = TaskGiven {
        title: title.to_owned(),
        ..task.clone()
    };
    note.split("; ")
        .all(|part| takes(&mut read, part))
        .then_some(read)
}

/// Takes a part of a note into the task; says whether it is one.
fn takes(task: &mut TaskGiven, part: &str) -> bool {
    if let Some(ids) = part.strip_prefix("waits for ") {
        task.after = ids.split(", ").map(str::to_owned).collect();
        return true;
    }
    let (word, reason) = match part.split_once(": ") {
        Some((word, reason)) => (word, Some(reason.to_owned())),
        None => (part, None),
    };
    match word {
        // A mark that says more is not taken back.
        "blocked" | "failed" if task.standing() != TaskStatus::Pending => return false,
        "blocked" => task.status = Some(TaskStatus::Blocked),
        "failed" => task.status = Some(TaskStatus::Failed),
        "any one of these" => task.decomp = Some(Decomposition::Or),
        // Evidence and attempts are not defined with a task.
        "evidence" => return true,
        NO_NOTE => return true,
        word => return word.ends_with(" attempts failed"),
    }
    task.reason = reason;
    true
}
