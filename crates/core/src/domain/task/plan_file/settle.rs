//! What the tasks of a plan wait for, and ids that stand twice, in the files of other tools: what cannot
//! be meant is said, and is no reason to refuse the plan.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use super::json::{details, waits_for};
use crate::domain::task::after::circle;
use crate::domain::task::spec::{TaskGiven, TaskSpec};

/// Drops what no task here can wait for, and keeps it as a sentence in the details.
pub(super) fn settle(plan: &mut Plan) {
    let mut counts = BTreeMap::new();
    count(&plan.tasks, &mut counts);
    for (id, count) in &counts {
        let remark = format!("`{id}` stands at several items, so it is no task's id");
        if *count > 1 && !plan.remarks.contains(&remark) {
            plan.remarks.push(remark);
        }
    }
    order(&mut plan.tasks, &mut Vec::new(), &counts, &mut plan.remarks);
    while let Some((task, id)) = closing(&mut plan.tasks, &counts) {
        task.after.retain(|it| *it != id);
        let title = &task.title;
        plan.remarks.push(format!(
            "`{title}` is to wait for `{id}`, which waits for it, so only its details say so"
        ));
        let sentence = waits_for(&[id]);
        task.details = details(&[task.details.as_deref(), sentence.as_deref()]);
    }
}

/// The last task of a circle of tasks that wait for each other, and what it is to wait for there.
fn closing<'a>(
    tasks: &'a mut [TaskGiven],
    counts: &BTreeMap<String, usize>,
) -> Option<(&'a mut TaskGiven, String)> {
    let mut next = 0;
    let circle = circle(&specs(tasks, counts, &mut next))?;
    let pairs: BTreeSet<(&str, &str)> = circle
        .windows(2)
        .map(|pair| (&*pair[0], &*pair[1]))
        .collect();
    last_of(tasks, &pairs)
}

fn last_of<'a>(
    tasks: &'a mut [TaskGiven],
    pairs: &BTreeSet<(&str, &str)>,
) -> Option<(&'a mut TaskGiven, String)> {
    for task in tasks.iter_mut().rev() {
        let own = task.own_id.clone().unwrap_or_default();
        let mut after = task.after.iter();
        let closes = after
            .find(|id| pairs.contains(&(own.as_str(), id.as_str())))
            .cloned();
        if has_one_of(&task.tasks, pairs) {
            return last_of(&mut task.tasks, pairs);
        }
        if let Some(id) = closes {
            return Some((task, id));
        }
    }
    None
}

fn has_one_of(tasks: &[TaskGiven], pairs: &BTreeSet<(&str, &str)>) -> bool {
    tasks.iter().any(|task| {
        let own = task.own_id.as_deref().unwrap_or_default();
        let mut after = task.after.iter();
        after.any(|id| pairs.contains(&(own, id.as_str()))) || has_one_of(&task.tasks, pairs)
    })
}

/// The tasks with the ids that they have alone, or others that nothing names.
fn specs(tasks: &[TaskGiven], counts: &BTreeMap<String, usize>, next: &mut usize) -> Vec<TaskSpec> {
    let spec = |task: &TaskGiven| {
        *next += 1;
        let own = task.own_id.clone().filter(|id| counts.get(id) == Some(&1));
        let id = own.unwrap_or_else(|| format!("\0{next}"));
        TaskSpec {
            after: task.after.clone(),
            tasks: specs(&task.tasks, counts, next),
            ..TaskSpec::new(id, &task.title)
        }
    };
    tasks.iter().map(spec).collect()
}

fn count(tasks: &[TaskGiven], counts: &mut BTreeMap<String, usize>) {
    for task in tasks {
        if let Some(id) = &task.own_id {
            *counts.entry(id.clone()).or_default() += 1;
        }
        count(&task.tasks, counts);
    }
}

fn order(
    tasks: &mut [TaskGiven],
    above: &mut Vec<String>,
    counts: &BTreeMap<String, usize>,
    remarks: &mut Vec<String>,
) {
    for task in tasks {
        above.push(task.own_id.clone().unwrap_or_default());
        let mut below = BTreeMap::new();
        if !task.after.is_empty() {
            count(&task.tasks, &mut below);
        }
        let can = |id: &String| {
            counts.get(id) == Some(&1) && !above.contains(id) && !below.contains_key(id)
        };
        let (after, other): (Vec<String>, Vec<String>) =
            std::mem::take(&mut task.after).into_iter().partition(can);
        task.after = after;
        for id in &other {
            let why = match (counts.get(id), above.contains(id) || below.contains_key(id)) {
                (None, _) => "which is not in the file",
                (_, true) => "which it is part of, or which is part of it",
                _ => "which stands at several items",
            };
            let title = &task.title;
            remarks.push(format!(
                "`{title}` is to wait for `{id}`, {why}, so only its details say so"
            ));
        }
        let sentence = waits_for(&other);
        task.details = details(&[task.details.as_deref(), sentence.as_deref()]);
        order(&mut task.tasks, above, counts, remarks);
        above.pop();
    }
}
