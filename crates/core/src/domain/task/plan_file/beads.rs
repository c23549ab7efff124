//! The JSONL export of beads: an item a line, each with its dependencies. What names its parent, or
//! has the parent's id before a point, is below it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::formats::Source;
use super::json::{details, id, list, task, text};
use super::outline::DEEPEST;
use super::{LeftOut, Plan, PlanError};
use crate::domain::task::spec::TaskGiven;

pub(super) fn detect(source: &Source<'_>) -> bool {
    let first = source.body().lines().find(|line| !line.trim().is_empty());
    let item = first.and_then(|line| serde_json::from_str::<Value>(line).ok());
    item.is_some_and(|item| {
        let has = |name| text(&item, name).is_some();
        has("id") && has("title") && has("status") && item["tasks"].is_null()
    })
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let mut plan = Plan::default();
    let mut items: Vec<(String, Value)> = Vec::new();
    for (at, line) in source.body().lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let item: Value = serde_json::from_str(line).map_err(|error| PlanError::OtherFormat {
            format: "beads",
            why: format!("line {}: {error}", at + 1),
        })?;
        let gone = text(&item, "status") == Some("tombstone");
        match id(&item["id"]) {
            Some(id) if !gone && text(&item, "title").is_some() => items.push((id, item)),
            own => plan.left_out.push(LeftOut {
                line: at + 1,
                text: format!("{} was deleted or has no title", own.unwrap_or_default()),
            }),
        }
    }
    let ids: BTreeSet<&str> = items.iter().map(|(id, _)| &**id).collect();
    let mut below: BTreeMap<&str, Vec<&(String, Value)>> = BTreeMap::new();
    for item in &items {
        let parent = parent(item).filter(|parent| ids.contains(parent) && *parent != item.0);
        below
            .entry(parent.unwrap_or_default())
            .or_default()
            .push(item);
    }
    plan.tasks = made("", 0, &mut below, &mut plan.remarks)?;
    // A parent that is below its own child is nobody's.
    for item in below.into_values().flatten() {
        let text = format!("{} is below itself", item.0);
        plan.left_out.push(LeftOut { line: 0, text });
    }
    Ok(plan)
}

/// The tasks below this one, which has so many above it.
fn made(
    parent: &str,
    depth: usize,
    below: &mut BTreeMap<&str, Vec<&(String, Value)>>,
    remarks: &mut Vec<String>,
) -> Result<Vec<TaskGiven>, PlanError> {
    if depth > DEEPEST {
        return Err(PlanError::TooDeep);
    }
    let items = below.remove(parent).unwrap_or_default();
    let mut tasks = Vec::with_capacity(items.len());
    for (own, item) in items {
        let title = text(item, "title").unwrap_or_default();
        let status = text(item, "status").unwrap_or("open");
        let mut made_task = task(Some(own.clone()), title, status, remarks);
        let criteria = text(item, "acceptance_criteria").map(|it| format!("Accepted when: {it}"));
        made_task.details = details(&[
            made_task.details.as_deref(),
            text(item, "description"),
            text(item, "design"),
            criteria.as_deref(),
            text(item, "notes"),
        ]);
        made_task.after = of_type(item, |kind| kind == "blocks");
        made_task.tasks = made(own, depth + 1, below, remarks)?;
        tasks.push(made_task);
    }
    Ok(tasks)
}

/// The ids of what an item depends on in such a way.
fn of_type(item: &Value, is: impl Fn(&str) -> bool) -> Vec<String> {
    let all = list(item, "dependencies").iter();
    let all = all.filter(|it| is(text(it, "type").unwrap_or("blocks")));
    all.filter_map(|it| id(&it["depends_on_id"])).collect()
}

fn parent((own, item): &(String, Value)) -> Option<&str> {
    let mut said = list(item, "dependencies").iter();
    let said = said.find(|it| text(it, "type") == Some("parent-child"));
    let said = said.and_then(|it| text(it, "depends_on_id"));
    said.or_else(|| Some(own.rsplit_once('.')?.0))
}
