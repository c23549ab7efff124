//! What only the user lowers: that open tasks hold completion, which of them do, and what each of
//! them asks for (docs/design/goals.md#who-may-do-what). An agent may add to it, and skip a task
//! with a reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::rejection::Rejection;
use crate::domain::task::order::stack;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// Refuses a definition after which less holds completion than before.
pub fn stays(before: &Tasks, after: &Tasks) -> Result<(), Rejection> {
    let is_first = before.specs.is_empty() && !after.specs.is_empty();
    if is_first && !after.block_completion {
        return Err(refused(
            "run `goal task set … --free` if its tasks need not hold completion".into(),
        ));
    }
    if !before.block_completion {
        return Ok(());
    }
    if !after.block_completion {
        return Err(refused(
            "run `goal task set … --free` if open tasks need not hold completion".into(),
        ));
    }
    let (was, is) = (known(before), known(after));
    let standing = TaskStatuses::of(after);
    let still: BTreeSet<&str> = ids(after, &standing).collect();
    for id in ids(before, &TaskStatuses::of(before)) {
        let title = was.get(id).map(|it| &it.task.title);
        // Under another title it is another task.
        let same = |now: &&Placed<'_>| still.contains(id) && title == Some(&now.task.title);
        let lost = match (was.get(id), is.get(id).filter(same)) {
            (Some(was), Some(is)) if !asks_as_much(was.task, is.task) => {
                "would need less proof than now; change it with `goal task set`"
            }
            (Some(was), Some(is)) if !is.ways_around.is_subset(&was.ways_around) => {
                "would be one of several ways, of which one is enough; set it so with `goal task set`"
            }
            (_, Some(_)) => continue,
            (_, None) => "is open and would be dropped; drop it with `goal task set`",
        };
        let say = format!("task {id} {lost}, or let me skip it with a reason");
        return Err(refused(say));
    }
    Ok(())
}

fn ids<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> impl Iterator<Item = &'a str> {
    let frames = stack(tasks, standing).into_iter();
    frames.map(|frame| &*frame.task.id)
}

/// A list that holds completion and of which nobody here knows the tasks is the user's to replace.
pub fn stays_elsewhere(tasks: &Tasks, act: &'static str) -> Result<(), Rejection> {
    if !tasks.specs.is_empty() || !tasks.block_completion || tasks.open() == 0 {
        return Ok(());
    }
    Err(Rejection::HumanOwned {
        act,
        say: "run `goal task set` if our tasks are to replace the other tool's list, which holds \
              completion"
            .into(),
    })
}

fn refused(say: String) -> Rejection {
    let act = "task set";
    Rejection::HumanOwned { act, say }
}

fn asks_as_much(task: &TaskSpec, now: &TaskSpec) -> bool {
    let mut conditions = task.done_when.iter();
    conditions.all(|condition| now.done_when.contains(condition))
        && (task.verification_contract.is_none()
            || task.verification_contract == now.verification_contract)
}

/// A task where it stands.
struct Placed<'a> {
    task: &'a TaskSpec,
    /// What stands above it and is done without it when another part is: ids, and nothing for the
    /// goal itself.
    ways_around: BTreeSet<Option<&'a str>>,
}

/// Every task by its id.
fn known(tasks: &Tasks) -> BTreeMap<&str, Placed<'_>> {
    let mut known = BTreeMap::new();
    let top = (tasks.decomp == Decomposition::Or).then_some(None);
    place(&tasks.specs, &top.into_iter().collect(), &mut known);
    known
}

fn place<'a>(
    specs: &'a [TaskSpec],
    ways_around: &BTreeSet<Option<&'a str>>,
    known: &mut BTreeMap<&'a str, Placed<'a>>,
) {
    for task in specs {
        let placed = Placed {
            task,
            ways_around: ways_around.clone(),
        };
        known.insert(&task.id, placed);
        let mut below = ways_around.clone();
        if task.decomposition() == Decomposition::Or {
            below.insert(Some(&*task.id));
        }
        place(&task.tasks, &below, known);
    }
}
