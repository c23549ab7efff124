//! What became of tasks before they were defined here, as the marks of a plan say: done, skipped,
//! under way, blocked, failed. Each is recorded as an act of its own, and a completion needs what
//! every completion needs. What ended here already stays as it is. Of a task that failed nobody knows
//! how many attempts there were, so none is recorded: it is blocked, and its reason says why.

use std::collections::BTreeMap;

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::questions::yours;
use crate::domain::event::{Payload, TaskBlocked, TaskComplete, TaskSkipped, TaskStarted};
use crate::domain::rejection::Rejection;
use crate::domain::task::condition::missing;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::{GivenOutcome, Place, TaskSpec};
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// What became of tasks, by their ids.
pub(super) type OutcomesById = BTreeMap<String, GivenOutcome>;

/// The same by the ids of the tasks at these places.
pub(super) fn by_id(tasks: &[TaskSpec], said: &BTreeMap<Place, GivenOutcome>) -> OutcomesById {
    let said = said.iter().filter_map(|(place, outcome)| {
        let (first, below) = place.split_first()?;
        let top = tasks.get(*first);
        let task = below.iter().fold(top, |task, at| task?.tasks.get(*at))?;
        Some((task.id.clone(), outcome.clone()))
    });
    said.collect()
}

/// What of it an import takes: all but what is said to be done and is not proved, or is left to the
/// user. Says what the first of those would be refused with.
pub(super) fn taken(
    after: &Tasks,
    said: OutcomesById,
    caller: &Caller,
) -> (OutcomesById, Option<Rejection>) {
    let mut taken = said;
    let mut refused = None;
    for (_, task) in after.flat() {
        let outcome = taken.get(&task.id);
        if outcome.is_none_or(|it| it.status != TaskStatus::Complete) {
            continue;
        }
        let ids = after.path(&task.id);
        let is_left = caller.actor != Actor::User && Primitive::of(task).confirms().is_some();
        let why = match missing(after, task, &ids).first() {
            _ if is_left => Some(yours(&task.id)),
            Some(missing) => Some(Rejection::TaskUnproved {
                task: task.id.clone(),
                missing: missing.to_string(),
            }),
            None => None,
        };
        if why.is_some() {
            taken.remove(&task.id);
            refused = refused.or(why);
        }
    }
    (taken, refused)
}

/// The events that say so of tasks that are still open. What a task above them comes to follows from
/// them; only where it does not, its own mark is recorded too.
///
/// # Errors
/// One that is said to be done is not proved.
pub(super) fn decide(after: &Tasks, said: &OutcomesById) -> Result<Vec<Payload>, Rejection> {
    if said.is_empty() {
        return Ok(Vec::new());
    }
    let standing = TaskStatuses::of(after);
    let mut payloads = Vec::with_capacity(said.len());
    let mut path: Vec<&TaskSpec> = Vec::new();
    for (depth, task) in after.flat() {
        path.truncate(depth);
        path.push(task);
        let now = standing.status(&task.id);
        let Some(outcome) = said.get(&task.id).filter(|_| now.is_open()) else {
            continue;
        };
        let is_skipped = |above: &&TaskSpec| {
            let said = said.get(&above.id);
            said.is_some_and(|it| it.status == TaskStatus::Skipped)
        };
        match outcome.status {
            TaskStatus::Complete => {
                let ids: Vec<&str> = path.iter().map(|task| &*task.id).collect();
                if let Some(missing) = missing(after, task, &ids).first() {
                    return Err(Rejection::TaskUnproved {
                        task: task.id.clone(),
                        missing: missing.to_string(),
                    });
                }
            }
            TaskStatus::Skipped => {}
            _ if !task.tasks.is_empty() => continue,
            _ => {}
        }
        if !path[..depth].iter().any(is_skipped) || outcome.status == TaskStatus::Complete {
            payloads.extend(payloads_of(task, now, outcome));
        }
    }
    let marked = after.after(&payloads);
    let standing = TaskStatuses::of(&marked);
    for (_, task) in after.flat().into_iter().rev() {
        let now = standing.status(&task.id);
        if !task.tasks.is_empty()
            && now.is_open()
            && let Some(outcome) = said.get(&task.id).filter(|it| it.status != now)
        {
            payloads.extend(payloads_of(task, now, outcome));
        }
    }
    Ok(payloads)
}

/// Why a task is blocked that its plan calls failed.
const FAILED: &str = "it had failed when it was set";

/// What takes a task from how it stands now to what became of it.
fn payloads_of(task: &TaskSpec, now: TaskStatus, outcome: &GivenOutcome) -> Vec<Payload> {
    let (task_id, reason) = (task.id.clone(), outcome.reason.clone());
    let unsaid = || Some("so it stood when it was set".to_owned());
    match outcome.status {
        TaskStatus::Complete => vec![
            TaskComplete {
                task_id,
                evidence: None,
                summary: Some("done already when it was set".into()),
            }
            .into(),
        ],
        TaskStatus::Skipped => {
            let reason = reason.or_else(unsaid);
            vec![TaskSkipped { task_id, reason }.into()]
        }
        TaskStatus::Active if now == TaskStatus::Pending => vec![TaskStarted { task_id }.into()],
        TaskStatus::Blocked | TaskStatus::Failed
            if now != TaskStatus::Failed && now != TaskStatus::Blocked =>
        {
            let reason = match (outcome.status, reason) {
                (TaskStatus::Failed, Some(reason)) => Some(format!("{FAILED}: {reason}")),
                (TaskStatus::Failed, None) => Some(FAILED.to_owned()),
                (_, reason) => reason.or_else(unsaid),
            };
            vec![TaskBlocked { task_id, reason }.into()]
        }
        TaskStatus::Active | TaskStatus::Blocked | TaskStatus::Failed | TaskStatus::Pending => {
            Vec::new()
        }
    }
}
