//! What a task becomes when it was performed: by a tool, by the agent, or by the user's answer.

use serde_json::Value;

use crate::domain::decide::tasks::{ended, give};
use crate::domain::event::{Payload, TaskComplete, TaskFailed, TaskStarted};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::condition::Condition;
use crate::domain::task::key::EvidenceKey;
use crate::domain::task::proof::missing;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::TaskStatus;

/// The start of a task that is not under way.
pub fn begun(goal: &Goal, task: &TaskSpec) -> Option<Payload> {
    let is_active = goal.tasks.mark(&task.id).status == TaskStatus::Active;
    let started = TaskStarted {
        task_id: task.id.clone(),
    };
    (!is_active).then(|| started.into())
}

/// The start of a task; refused where it is under way already.
pub fn start(goal: &Goal, task: &TaskSpec) -> Result<Payload, Rejection> {
    begun(goal, task).ok_or_else(|| ended(task, "already under way; go on with it"))
}

/// The evidence, and what it makes of the task: complete where it has no conditions, but one failed
/// attempt where it was performed without bringing what it was for. Conditions that only
/// the evaluator can tell are still open then.
pub fn performed(
    goal: &Goal,
    task: &TaskSpec,
    items: &[(EvidenceKey, Value)],
    source: &str,
) -> Result<Vec<Payload>, Rejection> {
    // What failed before is under way again, so that what it gives now is told from that.
    let mut payloads: Vec<Payload> = begun(goal, task).into_iter().collect();
    if !items.is_empty() {
        payloads.extend(give(goal, Some(&task.id), items, source)?);
    }
    let after = goal.tasks.after(&payloads);
    let task_id = task.id.clone();
    let mut missing = missing(&after, task, &after.path(&task.id)).into_iter();
    let missing = missing.find(|it| !matches!(it, Condition::PredicateTrue { .. }));
    match missing {
        Some(missing) => {
            let reason = Some(format!("it was performed, but {missing}"));
            payloads.push(TaskFailed { task_id, reason }.into());
        }
        None if task.done_when.is_empty() => {
            let complete = TaskComplete {
                task_id,
                ..TaskComplete::default()
            };
            payloads.push(complete.into());
        }
        None => {}
    }
    Ok(payloads)
}
