//! A plan file that is imported again: what it brought before is not brought twice. An item is
//! there already when a task with its title is, and all below it, too. One that is there in part
//! is refused, since neither leaving it out nor adding it again would be what its writer meant.

use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::given::Definitions;
use crate::domain::task::spec::TaskSpec;

/// Adding what of the plan is new, at the top level.
pub(super) fn fresh(goal: &Goal, plan: &Definitions) -> Result<TaskCommand, Rejection> {
    let mut new = Definitions::default();
    for (index, task) in plan.tasks.iter().enumerate() {
        if is_there(task, &goal.tasks.specs)? {
            continue;
        }
        let below = plan.done.iter().filter(|path| path.first() == Some(&index));
        new.done.extend(below.map(|path| {
            let mut path = path.clone();
            path[0] = new.tasks.len();
            path
        }));
        new.tasks.push(task.clone());
    }
    if new.tasks.is_empty() && !plan.tasks.is_empty() {
        return Err(Rejection::AlreadyImported { what: "tasks" });
    }
    Ok(TaskCommand::Add {
        parent: None,
        defined: new,
    })
}

fn is_there(task: &TaskSpec, among: &[TaskSpec]) -> Result<bool, Rejection> {
    let twins = || among.iter().filter(|it| it.title == task.title);
    if twins().any(|twin| missing(task, twin).is_none()) {
        return Ok(true);
    }
    match twins().find_map(|twin| missing(task, twin)) {
        None => Ok(false),
        Some(missing) => Err(Rejection::InvalidTask {
            task: task.title.clone(),
            problem: format!(
                "it is there already, but `{missing}` is not below it; `goal task set FILE` takes a \
                 changed plan over, and keeps what became of tasks under the same titles"
            ),
        }),
    }
}

/// The title of something below `task` that its twin has not.
fn missing<'a>(task: &'a TaskSpec, twin: &TaskSpec) -> Option<&'a str> {
    let mut below = task.tasks.iter();
    below.find_map(|part| {
        let mut twins = twin.tasks.iter().filter(|it| it.title == part.title);
        match twins.next() {
            None => Some(part.title.as_str()),
            Some(twin) => missing(part, twin),
        }
    })
}
