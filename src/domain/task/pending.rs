//! The questions that wait for the user.

use crate::domain::task::question::Question;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

/// How many questions of a goal still want an answer.
pub fn open_count(tasks: &Tasks) -> u64 {
    match tasks.questions.all() {
        [] => 0,
        _ => pending(tasks, &TaskStatuses::of(tasks)).len() as u64,
    }
}

/// The questions that still want an answer: those of tasks that are still to be done, and those
/// of the goal itself. What a task no longer needs to know is not asked any more.
pub fn pending<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<&'a Question> {
    let wanted = |question: &&Question| {
        question.answer.is_none()
            && match question.task_id.as_deref() {
                None => true,
                Some(task) => tasks.find(task).is_some() && standing.status(task).is_open(),
            }
    };
    tasks.questions.all().iter().filter(wanted).collect()
}
