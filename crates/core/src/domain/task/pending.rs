//! The questions that wait for the user.

use std::collections::BTreeSet;

use crate::domain::task::question::Question;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;

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

/// The checkpoints that alone wait for an answer: who asked said so, and the others can be worked.
pub fn held<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> BTreeSet<&'a str> {
    let of_one = pending(tasks, standing).into_iter().filter(is_of_one);
    let task = of_one.filter_map(|question| question.task_id.as_deref());
    task.filter_map(|task| Some(&*tasks.find(tasks.path(task).first()?)?.id))
        .collect()
}

/// Whether a question holds its task alone. What a step asks for becomes evidence, which later steps may
/// need; and a question without a task is about the whole goal.
pub(super) fn is_of_one(question: &&Question) -> bool {
    question.task_id.is_some() && question.key.is_none()
}
