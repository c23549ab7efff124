//! Tasks that a caller names by words of their titles.

use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, TitleWords};
use crate::domain::task::command::TaskCommand;

/// The command with the ids of the tasks that it names. What names none stays as it is: the command is
/// refused then.
pub(super) fn by_id(goal: &Goal, command: &TaskCommand) -> Result<TaskCommand, Rejection> {
    let mut command = command.clone();
    let task = match &mut command {
        TaskCommand::Mark { task, .. } => Some(task),
        TaskCommand::Give { task, .. } => task.as_mut(),
        TaskCommand::Ask(asked) => asked.task_id.as_mut(),
        TaskCommand::Add { parent, .. } => parent.as_mut(),
        _ => None,
    };
    if let Some(task) = task
        && goal.tasks.find(task).is_none()
        && let Some(words) = TitleWords::naming(task)
    {
        let all = goal.tasks.flat().into_iter().map(|(_, spec)| spec);
        let found: Vec<_> = all.filter(|spec| words.are_in(&spec.title)).collect();
        match &found[..] {
            [] => {}
            [only] => only.id.clone_into(task),
            _ => {
                let each = found.iter().map(|it| (it.id.as_str(), it.title.as_str()));
                return Err(Rejection::AmbiguousTask {
                    id: goal.id.clone(),
                    task: task.clone(),
                    candidates: Candidates::of(each),
                });
            }
        }
    }
    Ok(command)
}
