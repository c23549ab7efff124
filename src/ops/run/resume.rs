//! A goal that is paused or blocked is resumed before it is run.

use super::{Observer, RunUpdate};
use crate::domain::command::Command;
use crate::domain::decide::exactly;
use crate::domain::event::GoalResumed;
use crate::domain::goal::state::Goal;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::order::{Step, next};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::one_line;

/// Resumes a goal that rests, and reopens the task that is in its way. The goal is named from then on:
/// the focus may move.
///
/// # Errors
/// What `goal resume` would be refused for.
pub(super) fn resume(call: &mut Call, goal: &Goal, tell: &mut Observer<'_>) -> Result<(), Failure> {
    call.goal = Some(goal.id.to_string());
    let reason = "resumed by the user to run it".to_owned();
    call.request(Command::Resume(GoalResumed { reason }))
        .naming(&goal.id)
        .run()?;
    let was = goal.status.name();
    tell(RunUpdate::Say(format!(
        "Resumed goal {}, which was {was}.",
        goal.id
    )));
    if let Some(reopened) = reopen(call, goal)? {
        tell(RunUpdate::Say(reopened));
    }
    Ok(())
}

/// Reopens the task that is in the goal's way: whoever runs a goal again that was blocked by it has
/// lifted what was the matter.
fn reopen(call: &Call, goal: &Goal) -> Result<Option<String>, Failure> {
    let Step::Stuck(task) = next(&goal.tasks, &TaskStatuses::of(&goal.tasks)) else {
        return Ok(None);
    };
    let act = TaskCommand::Mark {
        task: exactly(&task.id),
        becomes: TaskStatus::Pending,
        word: Word::why("the user resumed the goal to run it"),
    };
    call.request(act).naming(&goal.id).run()?;
    let (id, title) = (one_line(&task.id), one_line(&task.title));
    let why = goal.tasks.mark(&task.id).reason;
    let why = why.map_or_else(String::new, |why| {
        format!("; it could not go on: {}", one_line(&why))
    });
    Ok(Some(format!("Reopened task {id}, {title}{why}.")))
}
