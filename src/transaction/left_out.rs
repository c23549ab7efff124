//! The notice that a new task list drops tasks which were done.

use std::collections::BTreeSet;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{Event, Payload};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;
use crate::render::text::{count, one_line, short};
use crate::snapshot::Snapshot;

/// The longest list of titles, in bytes.
const TITLES: usize = 300;

/// A notice for each goal whose new list drops done tasks. `before` is the project without these
/// events.
pub(super) fn done_tasks<'a>(
    before: &'a Snapshot,
    events: &'a [Event],
) -> impl Iterator<Item = Diagnostic> + 'a {
    events.iter().filter_map(|event| {
        let Payload::TaskListSet(set) = &event.payload else {
            return None;
        };
        let goal = before.state.goals.get(event.goal_id.as_ref()?)?;
        let dropped = dropped(&goal.tasks, set.tasks.as_deref()?);
        (!dropped.is_empty()).then(|| notice(&dropped))
    })
}

/// The done tasks that the new list does not have: neither with the same id nor with the same title.
/// A group of tasks is not named, only the tasks in it.
fn dropped<'a>(before: &'a Tasks, after: &[TaskSpec]) -> Vec<&'a TaskSpec> {
    let after = Tasks::flat_of(after).into_iter();
    let kept: BTreeSet<(&str, &str)> = after
        .map(|(_, task)| (task.id.as_str(), task.title.trim()))
        .collect();
    let statuses = TaskStatuses::of(before);
    let all = before.flat().into_iter().map(|(_, task)| task);
    all.filter(|task| task.tasks.is_empty())
        .filter(|task| statuses.status(&task.id) == TaskStatus::Complete)
        .filter(|task| !kept.contains(&(task.id.as_str(), task.title.trim())))
        .collect()
}

fn notice(dropped: &[&TaskSpec]) -> Diagnostic {
    let titles = dropped
        .iter()
        .map(|task| format!("{} {}", task.id, task.title));
    let titles = titles.collect::<Vec<_>>().join("; ");
    let how_many = count(dropped.len() as u64, "done task");
    Diagnostic::new(
        Code::DoneTaskDropped,
        format!(
            "the new list drops {how_many}: {}",
            short(&one_line(&titles), TITLES)
        ),
        "to keep a task, set the list again with a task of the same title",
    )
}
