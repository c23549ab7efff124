//! Tasks that are done already when they are defined, as the ticks of a checklist say. Each is a
//! completion of its own, and needs what every completion needs.

use std::collections::BTreeSet;

use crate::domain::event::Payload;
use crate::domain::rejection::Rejection;
use crate::domain::task::condition::Condition;
use crate::domain::task::events::{TaskComplete, TaskSpec};
use crate::domain::task::standing::Standing;
use crate::domain::task::state::Tasks;

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
    let standing = Standing::of(after);
    let mut completions = Vec::with_capacity(done.len());
    for (_, task) in after.flat() {
        if !done.contains(&task.id) || !standing.status(&task.id).is_open() {
            continue;
        }
        proved(after, task)?;
        let complete = TaskComplete {
            task_id: task.id.clone(),
            evidence: None,
            summary: Some("done already when it was set".into()),
        };
        completions.push(complete.into());
    }
    Ok(completions)
}

fn proved(after: &Tasks, task: &TaskSpec) -> Result<(), Rejection> {
    let unproved = |missing: String| Rejection::TaskUnproved {
        task: task.id.clone(),
        missing,
    };
    if !task.done_when.is_empty() {
        let path = after.path(&task.id);
        let seen = after.evidence.seen_by(&path);
        let mut conditions = task.done_when.iter().map(Condition::of);
        if let Some(missing) = conditions.find(|condition| !condition.holds(&seen)) {
            return Err(unproved(missing.to_string()));
        }
    }
    let mut given = after.evidence.all().iter();
    let proof = given.any(|it| it.task_id.as_deref() == Some(&*task.id));
    if task.verification_contract.is_some() && !proof {
        return Err(unproved(
            "its verification contract asks for evidence".into(),
        ));
    }
    Ok(())
}
