//! Events that define tasks.

use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::wire::body::plain;
use crate::domain::wire::lenient;

plain! {
    /// The goal's tasks were set anew. Without `tasks` (other writers) the tree stands in the
    /// goal's document.
    TaskListSet {
        #[serde(deserialize_with = "lenient::count")]
        #[schemars(with = "i64")]
        task_count: u64,
        block_completion: bool,
        ;
        tasks: Vec<TaskSpec>,
        decomp: Decomposition,
        source: String,
        reason: String,
    }
    /// Tasks were added to the goal.
    TaskAdded { tasks: Vec<TaskSpec>, }
    /// Tasks were redefined, by id.
    TaskUpdated { tasks: Vec<TaskSpec>, }
    /// A task was decomposed into children.
    TaskExpanded {
        task_id: String,
        tasks: Vec<TaskSpec>,
        decomp: Decomposition,
        source: String,
    }
}
