//! Deciding which tasks a goal has: checked, numbered and within limits before anything is
//! written.

use std::collections::BTreeSet;

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::require_text_if_given;
use crate::domain::decide::tasks::numbering::Numbering;
use crate::domain::decide::tasks::{done, ended, held};
use crate::domain::event::{Payload, TaskAdded, TaskExpanded, TaskListSet};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::given::Definitions;
use crate::domain::task::limits::{Limits, depth};
use crate::domain::task::order::stack;
use crate::domain::task::primitive::is_indivisible;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// Decides `Set` and `Add`.
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
    let (definition, done) = match command {
        TaskCommand::Set {
            defined,
            decomp,
            block_completion,
            source,
            reason,
        } => {
            numbering.keep_ids_of(&goal.tasks.specs);
            let tasks = numbering.complete("", &defined.tasks, limits)?;
            let holds = goal.tasks.block_completion || goal.tasks.specs.is_empty();
            let block_completion = block_completion.unwrap_or(holds);
            let done = done::of(&tasks, &defined.done);
            let set = TaskListSet {
                block_completion,
                decomp: *decomp,
                source: source.clone(),
                reason: require_text_if_given("reason", reason.as_deref())?,
                ..TaskListSet::of(tasks)
            };
            (Payload::from(set), done)
        }
        TaskCommand::Add { parent, defined } => {
            add(goal, parent.as_deref(), defined, numbering, limits)?
        }
        // The others define nothing.
        _ => return Err(Rejection::nothing_changes(goal)),
    };
    let mut payloads = vec![definition];
    let after = goal.tasks.after(&payloads);
    if caller.actor != Actor::User {
        held::stays(&goal.tasks, &after)?;
    }
    let completions = done::completions(&after, &done)?;
    if completions.is_empty() && is_same(&goal.tasks, &after) {
        return Err(Rejection::nothing_changes(goal));
    }
    within(&after.after(&completions), limits)?;
    payloads.extend(completions);
    Ok(payloads)
}

/// The first tasks of a goal that is about to be created; none for none.
pub fn first(
    Definitions { tasks, done }: &Definitions,
    source: &str,
    limits: &Limits,
) -> Result<Vec<Payload>, Rejection> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let tasks = Numbering::default().complete("", tasks, limits)?;
    let done = done::of(&tasks, done);
    let set = TaskListSet {
        source: Some(source.to_owned()),
        ..TaskListSet::of(tasks)
    };
    let mut payloads = vec![Payload::from(set)];
    let after = Tasks::default().after(&payloads);
    let completions = done::completions(&after, &done)?;
    within(&after.after(&completions), limits)?;
    payloads.extend(completions);
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
    Definitions { tasks, done }: &Definitions,
    mut numbering: Numbering,
    limits: &Limits,
) -> Result<(Payload, BTreeSet<String>), Rejection> {
    if tasks.is_empty() {
        return Err(Rejection::EmptyField { field: "tasks" });
    }
    numbering.take(&goal.tasks.specs);
    let Some(parent) = parent else {
        let tasks = numbering.complete("", tasks, limits)?;
        let done = done::of(&tasks, done);
        // The first tasks of a goal hold its completion, however they come to it.
        let added = match goal.tasks.count {
            0 => TaskListSet::of(tasks).into(),
            _ => TaskAdded { tasks }.into(),
        };
        return Ok((added, done));
    };
    let parent = super::open(goal, parent)?;
    if is_indivisible(parent) {
        return Err(ended(parent, "done as it is, and not made of others"));
    }
    let added = numbering.complete(&parent.id, tasks, limits)?;
    let done = done::of(&added, done);
    let mut children = parent.tasks.clone();
    children.extend(added);
    let expanded = TaskExpanded {
        task_id: parent.id.clone(),
        tasks: children,
        decomp: parent.decomposition(),
        source: "added".into(),
    };
    Ok((expanded.into(), done))
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
