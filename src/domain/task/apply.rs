//! How task events change a goal's tasks. Structure only, never policy.

use crate::domain::event::Payload;
use crate::domain::task::events::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};

/// What an event meant for a goal's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The definition changed, and with it the goal's revision.
    Definition,
    /// Anything else, or nothing.
    Other,
}

/// Applies an event; those that are not about tasks change nothing.
pub fn apply(tasks: &mut Tasks, payload: &Payload) -> Change {
    match payload {
        Payload::TaskListSet(set) => {
            tasks.count = set.task_count;
            tasks.block_completion = set.block_completion;
            // A list of another writer stands in its document: what was defined before is over,
            // what became of ids stays, to be matched with the ids there (DESIGN §3.4).
            tasks.specs = set.tasks.clone().unwrap_or_default();
            if set.tasks.is_some() {
                let known = ids(&tasks.specs);
                tasks.status.retain(|id, _| known.contains(id));
            }
            Change::Definition
        }
        Payload::TaskAdded(added) => {
            tasks.specs.extend(added.tasks.iter().cloned());
            tasks.count = ids(&tasks.specs).len() as u64;
            Change::Definition
        }
        Payload::TaskUpdated(updated) => {
            updated
                .tasks
                .iter()
                .for_each(|spec| replace(&mut tasks.specs, spec));
            if !tasks.specs.is_empty() {
                tasks.count = ids(&tasks.specs).len() as u64;
            }
            Change::Definition
        }
        Payload::TaskExpanded(expanded) => {
            if let Some(parent) = find(&mut tasks.specs, &expanded.task_id) {
                parent.tasks.clone_from(&expanded.tasks);
                parent.decomp = Some(expanded.decomp);
                tasks.count = ids(&tasks.specs).len() as u64;
            }
            Change::Definition
        }
        Payload::TaskStarted(task) => mark(tasks, &task.task_id, TaskStatus::Active),
        Payload::TaskComplete(task) => mark(tasks, &task.task_id, TaskStatus::Complete),
        Payload::TaskSkipped(task) => mark(tasks, &task.task_id, TaskStatus::Skipped),
        Payload::TaskFailed(task) => mark(tasks, &task.task_id, TaskStatus::Failed),
        Payload::TaskBlocked(task) => mark(tasks, &task.task_id, TaskStatus::Blocked),
        Payload::TaskReopened(task) => mark(tasks, &task.task_id, TaskStatus::Pending),
        _ => Change::Other,
    }
}

fn mark(tasks: &mut Tasks, id: &str, status: TaskStatus) -> Change {
    // A late start or failure does not take a completion back; only a reopening does.
    let late = matches!(
        status,
        TaskStatus::Active | TaskStatus::Failed | TaskStatus::Blocked
    );
    if !late || tasks.status_of(id).is_open() {
        tasks.status.insert(id.to_owned(), status);
    }
    Change::Other
}

fn ids(specs: &[TaskSpec]) -> Vec<String> {
    specs
        .iter()
        .flat_map(|spec| [vec![spec.id.clone()], ids(&spec.tasks)].concat())
        .collect()
}

fn find<'a>(specs: &'a mut [TaskSpec], id: &str) -> Option<&'a mut TaskSpec> {
    for spec in specs {
        if spec.id == id {
            return Some(spec);
        }
        if let Some(found) = find(&mut spec.tasks, id) {
            return Some(found);
        }
    }
    None
}

fn replace(specs: &mut [TaskSpec], new: &TaskSpec) {
    if let Some(old) = find(specs, &new.id) {
        *old = new.clone();
    }
}
