//! Events that say what became of one task.

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
