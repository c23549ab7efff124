//! What of a plan is in a goal already when the plan is imported again.
//!
//! An item is there already when a task with its title is, and all below it, too: the first item of a
//! title is the first task of that title under the same parent, the second the second. One that is
//! there in part is refused, since neither leaving it out nor adding it again would be what its
//! writer meant.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::domain::actor::Caller;
use crate::domain::decide::tasks::outcomes::{self, OutcomesById};
use crate::domain::event::{Payload, TaskUpdated};
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::plan_file::{without_note, without_order};
use crate::domain::task::spec::{Definitions, Place, TaskSpec};
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// What an import of a plan brings.
pub(super) struct Fresh {
    /// What the plan says is done, and was open here.
    pub(super) done: Vec<Payload>,
    /// Tasks that the plan now calls otherwise.
    pub(super) renamed: Option<Payload>,
    /// What is new, for the top level; nothing where nothing is.
    pub(super) add: Option<Definitions>,
}

/// What of the plan is new. What it says is done, and is not proved or is left to the user, stays open.
pub(super) fn fresh(goal: &Goal, plan: &Definitions, caller: &Caller) -> Result<Fresh, Rejection> {
    let mut new = Definitions {
        reserved: plan.reserved.clone(),
        ..Definitions::default()
    };
    let mut done = OutcomesById::new();
    let mut calls = BTreeMap::new();
    let pairs = pairs(&plan.tasks, &goal.tasks.specs);
    for (index, (task, pair)) in plan.tasks.iter().zip(pairs).enumerate() {
        match pair {
            Pair::There(twin) => {
                let place = &mut vec![index];
                let said = &mut Said {
                    calls: &mut calls,
                    done: &mut done,
                };
                known(plan, place, task, twin, said);
            }
            Pair::InPart(missing) => return Err(in_part(task, missing)),
            Pair::New => {
                let at = new.tasks.len();
                new.outcomes.extend(moved(&plan.outcomes, index, at));
                new.own_ids.extend(moved(&plan.own_ids, index, at));
                new.tasks.push(task.clone());
            }
        }
    }
    let standing = TaskStatuses::of(&goal.tasks);
    done.retain(|id, _| standing.status(id).is_open());
    let (done, refused) = outcomes::taken(&goal.tasks, done, caller);
    let done = outcomes::decide(&goal.tasks, &done)?;
    let renamed = renamed(&goal.tasks.specs, &calls);
    let is_known = done.is_empty() && renamed.is_none();
    if new.tasks.is_empty() && !plan.tasks.is_empty() && is_known {
        return Err(refused.unwrap_or(Rejection::AlreadyImported { what: "tasks" }));
    }
    new.there = calls.into_iter().map(|(id, own)| (own, id)).collect();
    let is_new = !new.tasks.is_empty() || plan.tasks.is_empty();
    Ok(Fresh {
        done,
        renamed,
        add: is_new.then_some(new),
    })
}

/// The tasks that the plan says are done and that are still open, by id and title.
pub fn still_open(tasks: &Tasks, plan: &Definitions) -> Vec<(String, String)> {
    let mut done = OutcomesById::new();
    let pairs = pairs(&plan.tasks, &tasks.specs);
    for (index, (task, pair)) in plan.tasks.iter().zip(pairs).enumerate() {
        if let Pair::There(twin) = pair {
            let place = &mut vec![index];
            let said = &mut Said {
                calls: &mut BTreeMap::new(),
                done: &mut done,
            };
            known(plan, place, task, twin, said);
        }
    }
    let standing = TaskStatuses::of(tasks);
    let flat = tasks.flat().into_iter().map(|(_, task)| task);
    flat.filter(|task| done.contains_key(&task.id) && standing.status(&task.id).is_open())
        .map(|task| (task.id.clone(), task.title.clone()))
        .collect()
}

/// What is said of the task at this index of the top level and of those below it, for another index.
fn moved<T: Clone>(said: &BTreeMap<Place, T>, from: usize, to: usize) -> BTreeMap<Place, T> {
    let below = said
        .iter()
        .filter(|(place, _)| place.first() == Some(&from));
    let below = below.map(|(place, it)| {
        let mut place = place.clone();
        place[0] = to;
        (place, it.clone())
    });
    below.collect()
}

/// What a plan says of tasks that are there, by their ids.
struct Said<'a> {
    /// What it calls them.
    calls: &'a mut BTreeMap<String, String>,
    /// Which of them are done.
    done: &'a mut OutcomesById,
}

/// What the plan says of a task that is there, and of those below it.
fn known(
    plan: &Definitions,
    place: &mut Place,
    task: &TaskSpec,
    twin: &TaskSpec,
    said: &mut Said<'_>,
) {
    let outcome = plan.outcomes.get(place);
    if let Some(outcome) = outcome.filter(|it| it.status == TaskStatus::Complete) {
        said.done.insert(twin.id.clone(), outcome.clone());
    }
    if let Some(own) = plan.own_ids.get(place) {
        said.calls.insert(twin.id.clone(), own.clone());
    }
    let pairs = pairs(&task.tasks, &twin.tasks);
    for (index, (part, pair)) in task.tasks.iter().zip(pairs).enumerate() {
        if let Pair::There(twin) = pair {
            place.push(index);
            known(plan, place, part, twin, said);
            place.pop();
        }
    }
}

/// Tasks as they are, with what the plan calls them now; nothing where that is as before.
fn renamed(specs: &[TaskSpec], calls: &BTreeMap<String, String>) -> Option<Payload> {
    let mut tasks = specs.to_vec();
    tasks.retain_mut(|task| rename(task, calls));
    (!tasks.is_empty()).then(|| TaskUpdated { tasks }.into())
}

/// Whether this task or one below it is called otherwise now.
fn rename(task: &mut TaskSpec, calls: &BTreeMap<String, String>) -> bool {
    let mut changed = false;
    if let Some(own) = calls.get(&task.id) {
        let plan_id = (*own != task.id).then(|| own.clone());
        changed = plan_id != task.plan_id;
        task.plan_id = plan_id;
    }
    for below in &mut task.tasks {
        changed |= rename(below, calls);
    }
    changed
}

/// What an item of a plan is to a goal.
enum Pair<'a> {
    /// This task.
    There(&'a TaskSpec),
    New,
    /// A task with its title is there, without something below it that has this title.
    InPart(String),
}

/// What each item is among these tasks. A note behind its title says how it once stood. Where a title says
/// what its task waits for, that is no part of it.
fn pairs<'a>(items: &[TaskSpec], among: &'a [TaskSpec]) -> Vec<Pair<'a>> {
    let mut untaken: BTreeMap<Cow<'_, str>, Vec<&'a TaskSpec>> = BTreeMap::new();
    for task in among {
        let title = without_order(&task.title);
        untaken.entry(title).or_default().push(task);
    }
    let pair = |item: &TaskSpec| {
        let has = |title: &str| untaken.get(title).is_some_and(|twins| !twins.is_empty());
        let title = without_order(&item.title);
        let title = match has(&title) {
            true => &title,
            false => without_note(&title),
        };
        let Some(twins) = untaken.get_mut(title).filter(|twins| !twins.is_empty()) else {
            return Pair::New;
        };
        let mut missing = None;
        for at in 0..twins.len() {
            match not_below(item, twins[at]) {
                None => return Pair::There(twins.remove(at)),
                Some(title) => missing = missing.or(Some(title)),
            }
        }
        missing.map_or(Pair::New, Pair::InPart)
    };
    items.iter().map(pair).collect()
}

/// The title of something below `item` that its twin has not.
fn not_below(item: &TaskSpec, twin: &TaskSpec) -> Option<String> {
    let pairs = pairs(&item.tasks, &twin.tasks);
    let mut below = item.tasks.iter().zip(pairs);
    below.find_map(|(part, pair)| match pair {
        Pair::There(_) => None,
        Pair::New => Some(part.title.clone()),
        Pair::InPart(missing) => Some(missing),
    })
}

fn in_part(task: &TaskSpec, missing: String) -> Rejection {
    Rejection::InvalidTask {
        task: task.title.clone(),
        problem: format!(
            "it is there already, but `{missing}` is not below it; `goal task set FILE` takes a \
             changed plan over, and keeps what became of tasks under the same titles"
        ),
    }
}

#[cfg(test)]
mod tests;
