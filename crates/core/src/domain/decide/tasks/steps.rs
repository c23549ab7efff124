//! Deciding what a step on a primitive task came to. Whoever took it says so; what follows is
//! decided here, on the tasks as they stand by now.
//!
//! What a task becomes when it was performed: by a tool, by the agent, or by the user's answer.

use serde_json::Value;

use crate::domain::decide::tasks::{ended, give, open, questions, workable};
use crate::domain::event::{
    ConditionChecked, Payload, TaskBlocked, TaskComplete, TaskFailed, TaskStarted,
};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::StepOutcome;
use crate::domain::task::condition::{Condition, EvidenceKey, missing};
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::TaskStatus;

/// Decides what is recorded of a step on `task`.
pub fn decide(goal: &Goal, task: &str, came_to: &StepOutcome) -> Result<Vec<Payload>, Rejection> {
    if let StepOutcome::Judged(checked) = came_to {
        let task_id = Some(task.to_owned());
        let checked = ConditionChecked {
            task_id,
            ..checked.clone()
        };
        return judged(goal, task, checked);
    }
    let task = workable(goal, task)?;
    if !task.tasks.is_empty() {
        return Err(ended(task, "made of others; a step is taken on those"));
    }
    let task_id = || task.id.clone();
    Ok(match came_to {
        StepOutcome::Begun => vec![start(goal, task)?],
        StepOutcome::Performed { items, source } => performed(goal, task, items, source)?,
        StepOutcome::Failed { reason } => {
            let (task_id, reason) = (task_id(), Some(reason.clone()));
            vec![TaskFailed { task_id, reason }.into()]
        }
        StepOutcome::Blocked { reason } => {
            let (task_id, reason) = (task_id(), Some(reason.clone()));
            vec![TaskBlocked { task_id, reason }.into()]
        }
        StepOutcome::Asked { fresh } => {
            let asked = questions::ask(goal, task, fresh)?;
            begun(goal, task).into_iter().chain([asked]).collect()
        }
        // Decided above, since parents are judged too.
        StepOutcome::Judged(_) => Vec::new(),
    })
}

/// The evaluator's word. Where a machine or an answer brought the evidence, a no is a failed
/// attempt; an agent at work, and a parent, may still bring better evidence.
fn judged(goal: &Goal, task: &str, checked: ConditionChecked) -> Result<Vec<Payload>, Rejection> {
    let task = open(goal, task)?;
    let path = goal.tasks.path(&task.id);
    let hash = goal.tasks.evidence.seen_by(&path).hash();
    let fails = !checked.satisfied
        && task.tasks.is_empty()
        && !matches!(Primitive::of(task), Primitive::Execute)
        && workable(goal, &task.id).is_ok()
        // Evidence came in between: for that nothing was said yet.
        && checked.evidence_hash.as_deref() == Some(&*hash);
    let failed = fails.then(|| {
        let why = checked.reasoning.as_deref().unwrap_or_default();
        Payload::from(TaskFailed {
            task_id: task.id.clone(),
            reason: Some(format!("the evaluator said no: {why}")),
        })
    });
    Ok([checked.into()].into_iter().chain(failed).collect())
}

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

#[cfg(test)]
mod tests;
