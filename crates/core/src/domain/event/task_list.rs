//! Events that define tasks, and of the planning that defines them.

use std::borrow::Cow;

use crate::domain::event::text::count;
use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::state::Tasks;
use crate::domain::wire::lenient::{self, plain};

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

impl TaskListSet {
    /// These tasks, and completion waits for them.
    pub fn of(tasks: Vec<TaskSpec>) -> TaskListSet {
        TaskListSet {
            task_count: Tasks::flat_of(&tasks).len() as u64,
            block_completion: true,
            tasks: Some(tasks),
            decomp: None,
            source: None,
            reason: None,
        }
    }

    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.set(self);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        let holds = match (self.block_completion, self.task_count) {
            (true, 1) => "; completion waits for it",
            (true, _) => "; completion waits for them",
            (false, _) => "",
        };
        format!("{}{holds}", count(self.task_count, "task")).into()
    }

    /// A list that stands in the document of another tool is not known.
    pub(super) fn may_be_taken(&self) -> bool {
        self.tasks.is_some() || self.task_count == 0
    }
}

impl TaskAdded {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.add(&self.tasks);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        titles(&self.tasks).into()
    }
}

impl TaskUpdated {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.update(&self.tasks);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        titles(&self.tasks).into()
    }
}

impl TaskExpanded {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.expand(self);
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        format!("{} into {}", self.task_id, titles(&self.tasks)).into()
    }
}

fn titles(tasks: &[TaskSpec]) -> String {
    let titles = tasks.iter();
    let titles = titles.map(|task| format!("{} {}", task.id, task.title));
    titles.collect::<Vec<_>>().join(", ")
}

plain! {
    /// A plan was asked for, with a reason if there was one already.
    PlanRequested { ; task_id: String, reason: String, }
    /// No plan came of it.
    PlanFailed { reason: String, ; task_id: String, }
}

impl PlanRequested {
    pub(super) fn text(&self) -> Cow<'_, str> {
        self.task_id.as_deref().unwrap_or_default().into()
    }
}

impl PlanFailed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.failed_plans = goal.tasks.failed_plans.saturating_add(1);
    }
}
