//! Events that say what became of one task.

use std::borrow::Cow;

use crate::domain::event::text::about;
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::task::state::TaskStatus;
use crate::domain::wire::lenient::plain;

plain! {
    /// Work on a task began. Starts do not count as attempts.
    TaskStarted { task_id: String, }
    /// A task is done.
    #[derive(Default)]
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

impl TaskStarted {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.set_mark(&self.task_id, TaskStatus::Active, None);
    }
}

impl TaskComplete {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let mark = goal
            .tasks
            .set_mark(&self.task_id, TaskStatus::Complete, None);
        mark.evidence.clone_from(&self.evidence);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let proof = self.summary.as_deref().or(self.evidence.as_deref());
        about(&self.task_id, proof)
    }
}

impl TaskSkipped {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        // One of the family skips and un-skips by the same event.
        let (status, reason) = match self.reason.as_deref() {
            Some(UNSKIPPED) => (TaskStatus::Pending, None),
            _ => (TaskStatus::Skipped, self.reason.clone()),
        };
        goal.tasks.set_mark(&self.task_id, status, reason);
    }
}

impl TaskFailed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        goal.tasks
            .set_mark(&self.task_id, TaskStatus::Failed, reason);
    }
}

impl TaskBlocked {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        goal.tasks
            .set_mark(&self.task_id, TaskStatus::Blocked, reason);
    }
}

impl TaskReopened {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        let reason = self.reason.clone();
        let mark = goal
            .tasks
            .set_mark(&self.task_id, TaskStatus::Pending, reason);
        (mark.attempts, mark.evidence) = (0, None);
        goal.tasks.evidence.drop_of(&self.task_id);
    }
}
