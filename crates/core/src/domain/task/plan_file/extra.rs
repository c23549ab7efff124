//! What of a task Markdown has no place for, in a comment below its title:
//! `<!-- goal {"decomp":"OR"} -->`. The fields are those of a task as a caller gives it.

use serde_json::{Map, Value};

use crate::domain::task::spec::TaskGiven;

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

/// The task with these fields in place of its own. A comment that is no such fields changes nothing.
pub(super) fn with(task: TaskGiven, extra: &Extra) -> TaskGiven {
    let mut all = fields(&task);
    all.extend(extra.clone());
    match serde_json::from_value::<TaskGiven>(all.into()) {
        Ok(said) => TaskGiven {
            own_id: said.id.or(task.own_id),
            id: None,
            tasks: task.tasks,
            ..said
        },
        Err(_) => task,
    }
}
