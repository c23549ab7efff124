//! Tasks that are done already when they are defined, as the ticks of a checklist say. Each is a
//! completion of its own, and needs what every completion needs.

use std::collections::BTreeSet;

use crate::domain::event::{Payload, TaskComplete};
use crate::domain::rejection::Rejection;
use crate::domain::task::proof::missing;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// The ids of the tasks at these places: indexes from the top level down.
pub fn of(tasks: &[TaskSpec], places: &BTreeSet<Vec<usize>>) -> BTreeSet<String> {
    let ids = places.iter().filter_map(|place| {
        let (first, below) = place.split_first()?;
        let top = tasks.get(*first);
        let task = below.iter().fold(top, |task, at| task?.tasks.get(*at))?;
        Some(task.id.clone())
    });
    ids.collect()
}

/// The completions of those that are still open.
///
/// # Errors
/// One of them is not proved.
pub fn completions(after: &Tasks, done: &BTreeSet<String>) -> Result<Vec<Payload>, Rejection> {
    if done.is_empty() {
        return Ok(Vec::new());
    }
    let standing = TaskStatuses::of(after);
    let mut completions = Vec::with_capacity(done.len());
    let mut path = Vec::new();
    for (depth, task) in after.flat() {
        path.truncate(depth);
        path.push(&*task.id);
        if !done.contains(&task.id) || !standing.status(&task.id).is_open() {
            continue;
        }
        if let Some(missing) = missing(after, task, &path).first() {
            return Err(Rejection::TaskUnproved {
                task: task.id.clone(),
                missing: missing.to_string(),
            });
        }
        let complete = TaskComplete {
            task_id: task.id.clone(),
            evidence: None,
            summary: Some("done already when it was set".into()),
        };
        completions.push(complete.into());
    }
    Ok(completions)
}
