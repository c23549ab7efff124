//! `tasks.json` of task-master: tasks with subtasks, in one list or in a list for each tag.

use serde_json::Value;

use super::formats::Source;
use super::json::{details, id, list, task, text, value, value_for};
use super::{LeftOut, Plan, PlanError};
use crate::domain::task::spec::TaskGiven;

pub(super) fn detect(source: &Source<'_>) -> bool {
    let Some(value) = value(source) else {
        return false;
    };
    let fits = |task: &Value| {
        task["title"].is_string()
            && task["status"].is_string()
            && (task["dependencies"].is_array() || task["subtasks"].is_array())
    };
    let any = |value: &Value| list(value, "tasks").iter().any(fits);
    let tags = value.as_object().into_iter().flatten();
    any(&value) || tags.into_iter().any(|(_, tag)| any(tag))
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let value = value_for(source, "task-master")?;
    let mut plan = Plan::default();
    let tags = value.as_object().into_iter().flatten();
    let tags: Vec<(&String, &Value)> = tags
        .filter(|(_, tag)| !list(tag, "tasks").is_empty())
        .collect();
    match &tags[..] {
        _ if !list(&value, "tasks").is_empty() => tasks(&value, "tasks", ["", ""], &mut plan),
        [(_, only)] => tasks(only, "tasks", ["", ""], &mut plan),
        tags => {
            for (tag, below) in tags {
                let mut part = Plan::default();
                let before = format!("{tag}.");
                tasks(below, "tasks", [&before, &before], &mut part);
                plan.left_out.append(&mut part.left_out);
                plan.remarks.append(&mut part.remarks);
                plan.tasks.push(TaskGiven {
                    title: (*tag).clone(),
                    own_id: Some((*tag).clone()),
                    tasks: part.tasks,
                    ..TaskGiven::default()
                });
            }
        }
    }
    Ok(plan)
}

/// The tasks under this name. The two texts begin the ids of all tasks, and of these tasks.
fn tasks(value: &Value, name: &str, [all, before]: [&str; 2], plan: &mut Plan) {
    let siblings: Vec<String> = list(value, name)
        .iter()
        .filter_map(|it| id(&it["id"]))
        .collect();
    for given in list(value, name) {
        let own = id(&given["id"]).map(|id| format!("{before}{id}"));
        let Some(title) = text(given, "title") else {
            let text = format!("a task without a title: {}", given["id"]);
            plan.left_out.push(LeftOut { line: 0, text });
            continue;
        };
        let status = text(given, "status").unwrap_or("pending");
        let mut below = Plan::default();
        if let Some(own) = &own {
            tasks(given, "subtasks", [all, &format!("{own}.")], &mut below);
        } else {
            tasks(given, "subtasks", [all, before], &mut below);
        }
        plan.left_out.append(&mut below.left_out);
        let named = list(given, "dependencies").iter().filter_map(id);
        // A subtask names another one of its task by the last number alone.
        let named = named.map(|id| match siblings.contains(&id) {
            true => format!("{before}{id}"),
            false => format!("{all}{id}"),
        });
        let test = text(given, "testStrategy").map(|test| format!("Test: {test}"));
        let priority = text(given, "priority").map(|it| format!("Priority: {it}."));
        let mut made = task(own, title, status, &mut plan.remarks);
        made.details = details(&[
            made.details.as_deref(),
            text(given, "description"),
            text(given, "details"),
            test.as_deref(),
            priority.as_deref(),
        ]);
        made.after = named.collect();
        plan.remarks.append(&mut below.remarks);
        made.tasks = below.tasks;
        plan.tasks.push(made);
    }
}
