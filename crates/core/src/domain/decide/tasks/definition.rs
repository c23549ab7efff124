//! Deciding which tasks a goal has: checked, numbered and within limits before anything is
//! written.
//!
//! A plan file that is imported again: what it brought before is not brought twice ([`again`]).
//!
//! Tasks that only another tool's document defines become ours, with what became of them: once a
//! line of ours carries the contract nobody opens that document again, and an event can only
//! change what events made.

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::require_text_if_given;
use crate::domain::decide::tasks::numbering::Numbering;
use crate::domain::decide::tasks::outcomes::{self, OutcomesById};
use crate::domain::decide::tasks::{ended, held};
use crate::domain::event::{
    Payload, TaskAdded, TaskBlocked, TaskComplete, TaskExpanded, TaskFailed, TaskListSet,
    TaskSkipped, TaskStarted,
};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::after::circle;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::order::stack;
use crate::domain::task::primitive::is_indivisible;
use crate::domain::task::spec::{Definitions, Limits, TaskSpec, depth};
use crate::domain::task::state::{Mark, TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// Decides `Set`, `Add`, and what of an import is new.
pub fn decide(
    goal: &Goal,
    command: &TaskCommand,
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    if caller.actor != Actor::User {
        held::stays_elsewhere(&goal.tasks, command.name())?;
    }
    let mut numbering = Numbering::for_new(&goal.tasks);
    let (definition, said) = match command {
        TaskCommand::Set {
            defined,
            decomp,
            block_completion,
            source,
            reason,
        } => {
            numbering.keep_ids_of(&goal.tasks.specs);
            let tasks = numbering.define("", defined, limits)?;
            let holds = goal.tasks.block_completion || goal.tasks.specs.is_empty();
            let block_completion = block_completion.unwrap_or(holds);
            let said = outcomes::by_id(&tasks, &defined.outcomes);
            let set = TaskListSet {
                block_completion,
                decomp: *decomp,
                source: source.clone(),
                reason: require_text_if_given("reason", reason.as_deref())?,
                ..TaskListSet::of(tasks)
            };
            (Payload::from(set), said)
        }
        TaskCommand::Add { parent, defined } => {
            add(goal, parent.as_deref(), defined, numbering, limits)?
        }
        TaskCommand::Import(new) => add(goal, None, new, numbering, limits)?,
        // The others define nothing.
        _ => return Err(Rejection::nothing_changes(goal)),
    };
    let mut payloads = vec![definition];
    let after = goal.tasks.after(&payloads);
    if caller.actor != Actor::User {
        held::stays(&goal.tasks, &after)?;
    }
    let said = match command {
        // What the plan ticks without a proof comes in, and stays open.
        TaskCommand::Import(_) => outcomes::taken(&after, said, caller).0,
        _ => said,
    };
    let outcomes = outcomes::decide(&after, &said)?;
    if outcomes.is_empty() && is_same(&goal.tasks, &after) {
        return Err(Rejection::nothing_changes(goal));
    }
    let marked = after.after(&outcomes);
    in_order(&marked)?;
    within(&marked, limits)?;
    payloads.extend(outcomes);
    Ok(payloads)
}

/// Refuses open tasks that wait for themselves. What has ended waits for nothing, and holds nothing up.
fn in_order(after: &Tasks) -> Result<(), Rejection> {
    let mut specs = after.specs.clone();
    let standing = TaskStatuses::of(after);
    ended_wait_for_nothing(&mut specs, &standing);
    match circle(&specs) {
        None => Ok(()),
        Some(ids) => Err(Rejection::InvalidTask {
            task: ids[0].clone(),
            problem: format!("tasks would wait in a circle: {}", ids.join(" after ")),
        }),
    }
}

fn ended_wait_for_nothing(specs: &mut [TaskSpec], standing: &TaskStatuses) {
    for spec in specs {
        match standing.status(&spec.id).is_open() {
            true => ended_wait_for_nothing(&mut spec.tasks, standing),
            false => {
                spec.after.clear();
                spec.tasks.clear();
            }
        }
    }
}

/// The first tasks of a goal that is about to be created; none for none.
pub fn first(
    defined: &Definitions,
    source: &str,
    limits: &Limits,
) -> Result<Vec<Payload>, Rejection> {
    if defined.tasks.is_empty() {
        return Ok(Vec::new());
    }
    let tasks = Numbering::default().define("", defined, limits)?;
    let said = outcomes::by_id(&tasks, &defined.outcomes);
    let set = TaskListSet {
        source: Some(source.to_owned()),
        ..TaskListSet::of(tasks)
    };
    let mut payloads = vec![Payload::from(set)];
    let after = Tasks::default().after(&payloads);
    let outcomes = outcomes::decide(&after, &said)?;
    let marked = after.after(&outcomes);
    in_order(&marked)?;
    within(&marked, limits)?;
    payloads.extend(outcomes);
    Ok(payloads)
}

/// Whether the definition is as it was: setting the same again is no event.
fn is_same(before: &Tasks, after: &Tasks) -> bool {
    before.specs == after.specs
        && before.decomp == after.decomp
        && before.block_completion == after.block_completion
        && before.count == after.count
}

fn add(
    goal: &Goal,
    parent: Option<&str>,
    defined: &Definitions,
    mut numbering: Numbering,
    limits: &Limits,
) -> Result<(Payload, OutcomesById), Rejection> {
    if defined.tasks.is_empty() {
        return Err(Rejection::EmptyField { field: "tasks" });
    }
    numbering.take(&goal.tasks.specs);
    let Some(parent) = parent else {
        let tasks = numbering.define("", defined, limits)?;
        let said = outcomes::by_id(&tasks, &defined.outcomes);
        // The first tasks of a goal hold its completion, however they come to it.
        let added = match goal.tasks.count {
            0 => TaskListSet::of(tasks).into(),
            _ => TaskAdded { tasks }.into(),
        };
        return Ok((added, said));
    };
    let parent = super::open(goal, parent)?;
    if is_indivisible(parent) {
        return Err(ended(parent, "done as it is, and not made of others"));
    }
    let added = numbering.define(&parent.id, defined, limits)?;
    let said = outcomes::by_id(&added, &defined.outcomes);
    let mut children = parent.tasks.clone();
    children.extend(added);
    let expanded = TaskExpanded {
        task_id: parent.id.clone(),
        tasks: children,
        decomp: parent.decomposition(),
        source: "added".into(),
    };
    Ok((expanded.into(), said))
}

/// Refuses a definition after which, and after what is done of it, the tasks would go over a limit.
pub(super) fn within(after: &Tasks, limits: &Limits) -> Result<(), Rejection> {
    Rejection::at_most("levels of tasks", depth(&after.specs), limits.depth)?;
    let frames = stack(after, &TaskStatuses::of(after));
    let open = frames
        .iter()
        .filter(|frame| frame.task.tasks.is_empty())
        .count();
    Rejection::at_most("open tasks", open, limits.open)
}

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
