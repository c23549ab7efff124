//! What somebody wants to happen to a goal's tasks, before anybody decided whether it may.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::domain::task::events::{Decomposition, TaskSpec};
use crate::domain::task::plan::{Plan, Wanted};

/// A command on the tasks of one goal. In definitions an empty id asks for one to be given.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskCommand {
    /// Puts this tree in place of what is there; what became of ids that stay, stays.
    Set {
        tasks: Vec<TaskSpec>,
        /// Which of them are done already: indexes from the top level down.
        done: BTreeSet<Vec<usize>>,
        decomp: Option<Decomposition>,
        /// As it is without it; the first list holds completion.
        block_completion: Option<bool>,
        source: Option<String>,
        reason: Option<String>,
    },
    /// Adds tasks at the top level, or below a task.
    Add {
        parent: Option<String>,
        tasks: Vec<TaskSpec>,
        /// As for `Set`.
        done: BTreeSet<Vec<usize>>,
    },
    Start {
        task: String,
    },
    Complete {
        task: String,
        evidence: Option<String>,
        summary: Option<String>,
    },
    Skip {
        task: String,
        reason: String,
    },
    /// One attempt failed.
    Fail {
        task: String,
        reason: String,
    },
    Block {
        task: String,
        reason: String,
    },
    Reopen {
        task: String,
        reason: String,
    },
    /// Gives evidence, to the goal or to one of its tasks.
    Give {
        task: Option<String>,
        items: Vec<(String, Value)>,
        source: String,
    },
    /// A plan is about to be asked for.
    RequestPlan(Wanted),
    /// The plan that came.
    Plan {
        wanted: Wanted,
        plan: Plan,
    },
    /// None came, of the goal or of one of its tasks.
    FailPlan {
        task: Option<String>,
        reason: String,
    },
}

impl TaskCommand {
    /// The word for planning; its request keys are looked up before anybody is asked.
    pub const PLAN: &'static str = "plan";
    /// The word for asking for a plan, which has no key of its own.
    const REQUEST_PLAN: &'static str = "ask for a plan";

    /// The word by which messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            TaskCommand::Set { .. } => "task set",
            TaskCommand::Add { .. } => "task add",
            TaskCommand::Start { .. } => "task start",
            TaskCommand::Complete { .. } => "task complete",
            TaskCommand::Skip { .. } => "task skip",
            TaskCommand::Fail { .. } => "task fail",
            TaskCommand::Block { .. } => "task block",
            TaskCommand::Reopen { .. } => "task reopen",
            TaskCommand::Give { .. } => "evidence add",
            TaskCommand::RequestPlan(_) => TaskCommand::REQUEST_PLAN,
            TaskCommand::Plan { .. } | TaskCommand::FailPlan { .. } => TaskCommand::PLAN,
        }
    }
}
