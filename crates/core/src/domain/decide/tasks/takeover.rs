//! Tasks that only another tool's document defines become ours, with what became of them: once a
//! line of ours carries the contract nobody opens that document again, and an event can only
//! change what events made.

use crate::domain::event::{
    Payload, TaskBlocked, TaskComplete, TaskFailed, TaskListSet, TaskSkipped, TaskStarted,
};
use crate::domain::goal::state::Goal;
use crate::domain::task::state::{Mark, TaskStatus};

/// What records the document's tasks; nothing where events define them.
pub fn taken_over(goal: &Goal) -> Vec<Payload> {
    if !goal.tasks.in_document {
        return Vec::new();
    }
    let set = TaskListSet {
        block_completion: goal.tasks.block_completion,
        source: Some("document".into()),
        ..TaskListSet::of(goal.tasks.specs.clone())
    };
    let flat = goal.tasks.flat();
    let marks = flat.iter().filter_map(|(_, task)| {
        let mark = goal.tasks.mark(&task.id);
        marked(task.id.clone(), mark)
    });
    std::iter::once(set.into()).chain(marks).collect()
}

fn marked(task_id: String, mark: Mark) -> Option<Payload> {
    let reason = mark.reason;
    let payload: Payload = match mark.status {
        TaskStatus::Pending => return None,
        TaskStatus::Active => TaskStarted { task_id }.into(),
        TaskStatus::Complete => TaskComplete {
            task_id,
            evidence: mark.evidence,
            summary: None,
        }
        .into(),
        TaskStatus::Skipped => TaskSkipped { task_id, reason }.into(),
        TaskStatus::Failed => TaskFailed { task_id, reason }.into(),
        TaskStatus::Blocked => TaskBlocked { task_id, reason }.into(),
    };
    Some(payload)
}
