//! What of a task Markdown has no place for, in a comment below its title:
//! `<!-- goal {"decomp":"OR"} -->`. The fields are those of a task as a caller gives it.

use serde_json::{Map, Value};

use crate::domain::task::spec::TaskGiven;
use crate::domain::task::state::TaskStatus;

/// Fields of a task by their names.
pub(super) type Extra = Map<String, Value>;

const BEGIN: &str = "<!-- goal ";
const END: &str = " -->";

/// What a comment of ours says; nothing for any other comment.
pub(super) fn of_comment(text: &str) -> Option<Extra> {
    let json = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    serde_json::from_str(json).ok()
}

/// The comment that says this.
pub(super) fn comment(extra: &Extra) -> String {
    // Only in strings, where JSON lets every character be written by its number.
    let json = Value::from(extra.clone()).to_string();
    let json = json.replace('>', "\\u003e").replace('\n', "\\n");
    format!("{BEGIN}{json}{END}")
}

/// The fields of a task, without those below it.
pub(super) fn fields(task: &TaskGiven) -> Extra {
    let mut fields = match serde_json::to_value(task) {
        Ok(Value::Object(fields)) => fields,
        _ => Extra::new(),
    };
    fields.remove("tasks");
    fields
}

/// The task with these fields in place of its own; an error where a comment has no such fields. How a
/// task stands, its box says to everybody who reads the plan. Only what no box has a mark for does a
/// comment add: that the task is blocked, or has failed.
pub(super) fn with(task: &TaskGiven, extra: &Extra) -> Result<TaskGiven, serde_json::Error> {
    let mut all = fields(task);
    all.extend(extra.clone());
    let said: TaskGiven = serde_json::from_value(all.into())?;
    let is_open = task.standing() == TaskStatus::Pending;
    let adds = matches!(said.status, Some(TaskStatus::Blocked | TaskStatus::Failed));
    let status = if is_open && adds {
        said.status
    } else {
        task.status
    };
    Ok(TaskGiven {
        own_id: said.id.or_else(|| task.own_id.clone()),
        id: None,
        tasks: task.tasks.clone(),
        done: task.done,
        status,
        ..said
    })
}
