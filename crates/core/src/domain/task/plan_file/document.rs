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
    plan.tasks.iter_mut().for_each(without_note);
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
    without_note(&mut task);
    let same = title.ends_with(&task.title) && task.status.is_none() && task.decomp.is_none();
    match same && task.after.is_empty() {
        true => String::new(),
        false => format!(" ({NO_NOTE})"),
    }
}

fn without_note(task: &mut TaskGiven) {
    if task.own_id.is_none()
        && let Some((id, title)) = task.title.split_once(": ")
        && !id.contains(char::is_whitespace)
    {
        task.own_id = Some(id.to_owned());
        task.title = title.to_owned();
    }
    if let Some((title, note)) = task
        .title
        .strip_suffix(')')
        .and_then(|it| it.rsplit_once(" ("))
    {
        let title = title.to_owned();
        let parts: Vec<String> = note.split("; ").map(str::to_owned).collect();
        if parts.iter().all(|part| takes(task, part)) {
            task.title = title;
        }
    }
    task.tasks.iter_mut().for_each(without_note);
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
