//! The todo list of Claude Code: a JSON list of todos, or its later tasks with subject and
//! dependencies.

use serde_json::Value;

use super::formats::Source;
use super::json::{details, id, list, task, text, value, value_for};
use super::{LeftOut, Plan, PlanError};

pub(super) fn detect(source: &Source<'_>) -> bool {
    let fits = |todo: &Value| title(todo).is_some() && text(todo, "status").is_some();
    value(source).is_some_and(|value| todos(&value).iter().any(fits))
}

pub(super) fn read(source: &Source<'_>) -> Result<Plan, PlanError> {
    let value = value_for(source, "todos")?;
    let mut plan = Plan::default();
    for todo in todos(&value) {
        let Some(title) = title(todo) else {
            let text = format!("a todo without a text: {}", todo["id"]);
            plan.left_out.push(LeftOut { line: 0, text });
            continue;
        };
        let status = text(todo, "status").unwrap_or("pending");
        let names: Vec<String> = list(todo, "blockedBy").iter().filter_map(id).collect();
        let mut made = task(id(&todo["id"]), title, status, &mut plan.remarks);
        made.details = details(&[made.details.as_deref(), text(todo, "description")]);
        made.after = names;
        plan.tasks.push(made);
    }
    Ok(plan)
}

/// A list by itself, or below a name.
fn todos(value: &Value) -> &[Value] {
    match value {
        Value::Array(all) => all,
        value if value["todos"].is_array() => list(value, "todos"),
        value => list(value, "tasks"),
    }
}

fn title(todo: &Value) -> Option<&str> {
    text(todo, "content").or_else(|| text(todo, "subject"))
}
