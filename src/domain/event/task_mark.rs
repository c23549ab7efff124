//! Events that say what became of one task.

use std::borrow::Cow;

use crate::domain::event::meaning::{Meaning, Origin, about};
use crate::domain::goal::state::Goal;
use crate::domain::task::state::TaskStatus;
use crate::domain::wire::body::plain;

plain! {
    /// Work on a task began. Starts do not count as attempts.
    TaskStarted { task_id: String, }
    /// A task is done.
    TaskComplete { task_id: String, ; evidence: String, summary: String, }
    /// A task is left out.
    TaskSkipped { task_id: String, ; reason: String, }
    /// One attempt at a task failed.
    TaskFailed { task_id: String, ; reason: String, }
    /// A task cannot go on.
    TaskBlocked { task_id: String, ; reason: String, }
    /// A task is to be done again.
    TaskReopened { task_id: String, ; reason: String, }
}

/// The reason by which pi-goal-xx says that a task is not skipped any more.
const UNSKIPPED: &str = "unskipped (toggle via skip_task)";

impl Meaning for TaskStarted {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.set_mark(&self.task_id, TaskStatus::Active, None);
    }

    fn text(&self) -> Cow<'_, str> {
        (&self.task_id).into()
    }
}

impl Meaning for TaskComplete {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let mark = goal
            .tasks
            .set_mark(&self.task_id, TaskStatus::Complete, None);
        mark.evidence.clone_from(&self.evidence);
    }

    fn text(&self) -> Cow<'_, str> {
        let proof = self.summary.as_deref().or(self.evidence.as_deref());
        about(&self.task_id, proof)
    }
}

impl Meaning for TaskSkipped {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        // One of the family skips and un-skips by the same event.
        let (status, reason) = match self.reason.as_deref() {
            Some(UNSKIPPED) => (TaskStatus::Pending, None),
            _ => (TaskStatus::Skipped, self.reason.clone()),
        };
        goal.tasks.set_mark(&self.task_id, status, reason);
    }

    fn text(&self) -> Cow<'_, str> {
        about(&self.task_id, self.reason.as_deref())
    }
}

impl Meaning for TaskFailed {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        goal.tasks
            .set_mark(&self.task_id, TaskStatus::Failed, reason);
    }

    fn text(&self) -> Cow<'_, str> {
        about(&self.task_id, self.reason.as_deref())
    }
}

impl Meaning for TaskBlocked {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        goal.tasks
            .set_mark(&self.task_id, TaskStatus::Blocked, reason);
    }

    fn text(&self) -> Cow<'_, str> {
        about(&self.task_id, self.reason.as_deref())
    }
}

impl Meaning for TaskReopened {
    fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        let mark = goal
            .tasks
            .set_mark(&self.task_id, TaskStatus::Pending, reason);
        (mark.attempts, mark.evidence) = (0, None);
        goal.tasks.evidence.drop_of(&self.task_id);
    }

    fn text(&self) -> Cow<'_, str> {
        about(&self.task_id, self.reason.as_deref())
    }
}
