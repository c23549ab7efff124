//! What is to be done now, as interfaces show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::task::order::{Step, next};
use crate::domain::task::statuses::TaskStatuses;
use crate::render::view::task::{TaskView, TasksView};

/// What kind of step is next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StepKind {
    /// No goal is focused: whose turn it is, the text says.
    #[default]
    NoGoal,
    /// The goal is paused, blocked or over.
    Resting,
    /// The goal has no tasks: go on toward the objective.
    NoTasks,
    /// Do the task.
    Work,
    /// Say which tasks make the task up.
    Plan,
    /// All below the task is done; show what its own conditions ask for.
    Prove,
    /// The task cannot go on, and nothing before it is lifted.
    Stuck,
    /// All tasks are done: ready for the audit, which alone completes the goal.
    Ready,
}

/// What is to be done now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextView {
    pub goal_id: Option<GoalId>,
    pub status: Option<Status>,
    pub kind: StepKind,
    /// The task it is about, without those below it.
    pub task: Option<TaskView>,
    /// The tasks that it is part of, from the top level down, itself last.
    pub path: Vec<String>,
    /// What its conditions still miss.
    pub missing: Vec<String>,
    /// What to do now and why, in a few sentences.
    pub text: String,
}

impl NextView {
    /// What is next for nobody's goal.
    pub fn without_goal(text: String) -> NextView {
        NextView {
            text,
            ..NextView::default()
        }
    }

    /// What is next for this goal; `text` says it.
    pub fn of(goal: &Goal, text: String) -> NextView {
        let tasks = &goal.tasks;
        let step = next(tasks, &TaskStatuses::of(tasks));
        let mut missing = Vec::new();
        let (kind, task) = match step {
            _ if goal.status != Status::Active => (StepKind::Resting, None),
            Step::NoTasks => (StepKind::NoTasks, None),
            Step::Ready => (StepKind::Ready, None),
            Step::Work(task) => (StepKind::Work, Some(task)),
            Step::Plan(task) => (StepKind::Plan, Some(task)),
            Step::Stuck(task) => (StepKind::Stuck, Some(task)),
            Step::Prove(task, conditions) => {
                missing.extend(conditions.iter().map(ToString::to_string));
                (StepKind::Prove, Some(task))
            }
        };
        let path = task.map(|task| tasks.path(&task.id)).unwrap_or_default();
        let views = TasksView::of(tasks);
        NextView {
            goal_id: Some(goal.id.clone()),
            status: Some(goal.status),
            kind,
            task: task.and_then(|task| Some(views.find(&task.id)?.clone().alone())),
            path: path.into_iter().map(str::to_owned).collect(),
            missing,
            text,
        }
    }
}
