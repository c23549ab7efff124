//! The notice that a task was started or completed before one that it comes after.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::task::after::Waiting;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;
use crate::render::text::{one_line, short};
use crate::snapshot::Snapshot;

/// The longest title, in bytes.
const TITLE: usize = 100;

/// A notice for each task that still waited. `before` is the project without these events.
pub(super) fn early<'a>(
    before: &'a Snapshot,
    events: &'a [Event],
) -> impl Iterator<Item = Diagnostic> + 'a {
    events.iter().filter_map(|event| {
        let (id, what) = match &event.payload {
            Payload::TaskStarted(it) => (&it.task_id, "started"),
            Payload::TaskComplete(it) => (&it.task_id, "completed"),
            _ => return None,
        };
        let goal = before.state.goals.get(event.goal_id.as_ref()?)?;
        let first = holders(&goal.tasks, id);
        (!first.is_empty()).then(|| notice(id, what, &first))
    })
}

/// What holds up the task and those that it is part of: id and title of each.
fn holders(tasks: &Tasks, id: &str) -> Vec<String> {
    let standing = TaskStatuses::of(tasks);
    let waiting = Waiting::of(tasks, &standing);
    let along = tasks.along(id);
    let mut found: Vec<String> = Vec::new();
    for holder in along.into_iter().flat_map(|task| waiting.holders(task)) {
        let title = tasks.find(holder).map(|task| one_line(&task.title));
        let title = short(&title.unwrap_or_default(), TITLE);
        let shown = format!("`{holder}` `{title}`");
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found
}

fn notice(id: &str, what: &str, first: &[String]) -> Diagnostic {
    let first = first.join(", ");
    Diagnostic::new(
        Code::OutOfOrder,
        format!("task `{id}` was {what}, and it comes after {first}, which is not done"),
        "`goal next` names what can be done now; nothing needs to be undone if the order does not \
         matter here",
    )
}
