//! What the tasks of a plan wait for, and ids that stand twice, in the files of other tools: what cannot
//! be meant is said, and is no reason to refuse the plan.

use std::collections::BTreeMap;

use super::Plan;
use super::json::{details, waits_for};
use crate::domain::task::spec::TaskGiven;

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
