//! `goal resume --run`: the goal is resumed before it is run.

use super::preflight::preflight;
use super::{Asked, held};
use crate::domain::command::Command;
use crate::domain::event::GoalResumed;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::order::{Step, next};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::text::one_line;

/// Resumes the target before it is run, unless it is active already. The goal is named from then
/// on: the focus may move. Says which task was reopened, where the goal could not go on without that.
///
/// # Errors
/// What [`super::run`] would be refused for; then nothing is resumed.
pub fn resume(call: &mut Call, reason: &str, asked: &Asked) -> Result<Option<String>, Failure> {
    let goal = {
        let snapshot = call.read()?;
        let goal = call.target(&snapshot);
        preflight(call, asked, goal.as_ref().ok().copied())?;
        let goal = goal?;
        held::over(call, &snapshot, goal, asked.take_over)?;
        goal.clone()
    };
    call.goal = Some(goal.id.to_string());
    if goal.status != Status::Active {
        let reason = reason.to_owned();
        call.request(Command::Resume(GoalResumed { reason }))
            .naming(&goal.id)
            .run()?;
    }
    reopen(call, &goal)
}

/// Reopens the task that is in the goal's way: whoever runs a goal again that was blocked by it has
/// lifted what was the matter.
fn reopen(call: &Call, goal: &Goal) -> Result<Option<String>, Failure> {
    let Step::Stuck(task) = next(&goal.tasks, &TaskStatuses::of(&goal.tasks)) else {
        return Ok(None);
    };
    let act = TaskCommand::Mark {
        task: task.id.clone(),
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
