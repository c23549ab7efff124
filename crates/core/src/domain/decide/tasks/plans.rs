//! Deciding plans: whether one may be asked for, and what becomes of the goal's tasks when it came,
//! or did not. A plan that does not fit is refused whole; a failed one blocks and never abandons.

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::definition::within;
use crate::domain::decide::tasks::numbering::Numbering;
use crate::domain::decide::tasks::{defined, ended};
use crate::domain::decide::{require_text, require_text_if_given};
use crate::domain::event::{
    GoalPaused, Payload, PlanFailed, PlanRequested, TaskBlocked, TaskExpanded, TaskListSet,
    TaskReopened,
};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;
use crate::domain::task::plan::{self, Plan, PlanRequest};
use crate::domain::task::primitive::is_indivisible;
use crate::domain::task::spec::{Decomposition, Limits, Predicate, TaskSpec};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::{TaskStatuses, Whole};

/// Decides asking for a plan: what would be refused in the end is refused before anybody is asked.
pub fn request(goal: &Goal, wanted: &PlanRequest, caller: &Caller) -> Result<Payload, Rejection> {
    kept(goal, wanted, caller)?;
    let requested = PlanRequested {
        task_id: wanted.task.clone(),
        reason: require_text_if_given("reason", wanted.revise.as_deref())?,
    };
    Ok(requested.into())
}

/// Decides a plan that came.
pub fn planned(
    goal: &Goal,
    wanted: &PlanRequest,
    plan: &Plan,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let mut tasks = kept(goal, wanted, caller)?;
    if plan.tasks.is_empty() {
        return Err(Rejection::EmptyField { field: "subgoals" });
    }
    if wanted.checkpoints {
        are_checkpoints(plan, tasks.len(), limits)?;
    }
    let mut new = Numbering::beyond(&goal.tasks);
    let below = wanted.task.as_deref().unwrap_or_default();
    let (planned, decomp) = beside(plan, tasks.is_empty());
    tasks.extend(new.complete(below, &planned, limits)?);
    let payloads = match &wanted.task {
        None => vec![
            TaskListSet {
                // The tasks of an escalation are a way to the goal, which nobody agreed to: they hold
                // the completion only in place of tasks that did.
                block_completion: goal.tasks.block_completion
                    || (goal.tasks.specs.is_empty() && !wanted.escalated),
                decomp: Some(decomp),
                source: Some(plan.source.clone()),
                reason: wanted.revise.clone(),
                ..TaskListSet::of(tasks)
            }
            .into(),
        ],
        Some(id) => expanded(goal, id, tasks, decomp, plan),
    };
    within(&goal.tasks.after(&payloads), limits)?;
    Ok(payloads)
}

/// The new tasks as they stand beside what is kept: one of alternatives would be done at once
/// beside what is complete already, so they go into a task of their own then.
fn beside(plan: &Plan, alone: bool) -> (Vec<TaskSpec>, Decomposition) {
    if alone || plan.decomp == Decomposition::And {
        return (plan.tasks.clone(), plan.decomp);
    }
    let alternatives = TaskSpec {
        pred: Some(Predicate {
            name: "composite".into(),
            args: serde_json::Value::Null,
        }),
        decomp: Some(Decomposition::Or),
        tasks: plan.tasks.clone(),
        ..TaskSpec::new("", "Do what remains in one of these ways")
    };
    (vec![alternatives], Decomposition::And)
}

/// A task gets its parts; what was blocked for want of them is open again.
fn expanded(
    goal: &Goal,
    id: &str,
    tasks: Vec<TaskSpec>,
    decomp: Decomposition,
    plan: &Plan,
) -> Vec<Payload> {
    let reopened = TaskReopened {
        task_id: id.to_owned(),
        reason: Some("it has a plan now".into()),
    };
    let expanded = TaskExpanded {
        task_id: id.to_owned(),
        tasks,
        decomp,
        source: plan.source.clone(),
    };
    match goal.tasks.mark(id).status {
        TaskStatus::Blocked => vec![reopened.into(), expanded.into()],
        _ => vec![expanded.into()],
    }
}

/// Decides that no plan came: a task that was to be planned is blocked.
pub fn failed(goal: &Goal, failed: &PlanFailed) -> Result<Vec<Payload>, Rejection> {
    let reason = require_text("reason", &failed.reason)?;
    let failed = PlanFailed {
        reason: reason.clone(),
        task_id: failed.task_id.clone(),
    };
    let mut payloads = vec![failed.clone().into()];
    if let Some(id) = failed.task_id.as_deref() {
        let task = defined(goal, id)?;
        // Somebody may have ended it meanwhile.
        if TaskStatuses::of(&goal.tasks).status(id).is_open() {
            let blocked = TaskBlocked {
                task_id: task.id.clone(),
                reason: Some(format!("it could not be planned: {reason}")),
            };
            payloads.push(blocked.into());
        }
    }
    Ok(payloads)
}

/// The blocker that a failed plan too many is to an active goal.
pub fn given_up(goal: &Goal, payloads: &[Payload], limits: &Limits) -> Option<Payload> {
    let failed = |payload: &Payload| matches!(payload, Payload::PlanFailed(_));
    if goal.status != Status::Active || !payloads.iter().any(failed) {
        return None;
    }
    let after = goal.tasks.after(payloads);
    if after.failed_plans < limits.failed_plans {
        return None;
    }
    let paused = GoalPaused {
        suggested_action: Some(
            "fix the planner, write the tasks with `goal task set`, or add a procedure; then \
             `goal resume`"
                .into(),
        ),
        source: Some("tasks".into()),
        blocked: Some(true),
        ..GoalPaused::because(format!("{} plans in a row failed", after.failed_plans))
    };
    Some(paused.into())
}

/// What stays beside a new plan, if there may be one: nothing, or in a revision everything that is
/// complete or skipped, with all that it is made of.
fn kept(goal: &Goal, wanted: &PlanRequest, caller: &Caller) -> Result<Vec<TaskSpec>, Rejection> {
    let tasks = &goal.tasks;
    let standing = TaskStatuses::of(tasks);
    if wanted.checkpoints && wanted.task.is_some() {
        return Err(Rejection::invalid(
            "checkpoints",
            "are the top level of a goal; plan the task without them",
        ));
    }
    let (what, specs) = match &wanted.task {
        None => (format!("goal {}", goal.id), &tasks.specs),
        Some(id) => (format!("task {id}"), &plannable(goal, id, &standing)?.tasks),
    };
    let announced = wanted.task.is_none() && tasks.count > 0;
    match (specs.is_empty() && !announced, &wanted.revise) {
        (true, None) => Ok(Vec::new()),
        (true, Some(_)) => Err(Rejection::invalid(
            "revise",
            format!("needs a plan, and {what} has none yet; leave it out"),
        )),
        (false, None) => Err(Rejection::AlreadyPlanned { what }),
        (false, Some(_)) => {
            let kept = plan::kept(specs, &standing);
            let nothing_left = wanted.task.is_none() && standing.whole() == Whole::Ready;
            let nothing_dropped = kept == *specs && !specs.is_empty();
            // A goal that is escalated needs more than it has, even where all of that is done.
            if (nothing_left || nothing_dropped) && !wanted.escalated {
                return Err(Rejection::nothing_changes(goal));
            }
            // The runner escalates by it. It replaces and never lowers: a plan that is not empty
            // comes in place of what it drops, which the auditor reads.
            let may_replace = matches!(caller.actor, Actor::User | Actor::System);
            if tasks.block_completion && tasks.open() > 0 && !may_replace {
                return Err(Rejection::HumanOwned {
                    act: "plan --revise",
                    say:
                        "run `goal plan --revise --reason …`: it drops open tasks, which hold the \
                          completion"
                            .into(),
                });
            }
            Ok(kept)
        }
    }
}

/// The task with this id, which is open and can have parts.
fn plannable<'a>(
    goal: &'a Goal,
    id: &str,
    standing: &TaskStatuses,
) -> Result<&'a TaskSpec, Rejection> {
    let task = defined(goal, id)?;
    match standing.status(id) {
        TaskStatus::Complete => Err(ended(task, "complete; reopen it if that is wrong")),
        TaskStatus::Skipped => Err(ended(task, "skipped; reopen it to do it after all")),
        TaskStatus::Failed if goal.tasks.mark(id).attempts >= task.attempts_allowed() => {
            Err(ended(
                task,
                "failed, with no attempt left; reopen it, then plan it",
            ))
        }
        _ if is_indivisible(task) => {
            Err(ended(task, "primitive: it is done as it is, not planned"))
        }
        _ => Ok(task),
    }
}

/// Refuses what is no list of checkpoints.
fn are_checkpoints(plan: &Plan, kept: usize, limits: &Limits) -> Result<(), Rejection> {
    let (fewest, most) = limits.checkpoints;
    let found = plan.tasks.len() + kept;
    Rejection::at_most("checkpoints", found, most)?;
    let refused = |problem: String| Rejection::invalid("subgoals", problem);
    if found < fewest {
        return Err(refused(format!(
            "are {found} checkpoints, and {fewest} are the fewest"
        )));
    }
    match plan.decomp {
        Decomposition::And => Ok(()),
        Decomposition::Or => Err(refused(
            "of checkpoints are joined by AND: all are done, in order".into(),
        )),
    }
}

#[cfg(test)]
mod tests;
