//! A goal's tasks as replay knows them: enough to show them and to hold the gate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::task::events::{Decomposition, TaskSpec};
use crate::domain::task::evidence::Evidence;
use crate::domain::task::order::stack;
use crate::domain::task::question::Questions;
use crate::domain::task::standing::Standing;

/// What became of a task.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum TaskStatus {
    #[default]
    Pending,
    Active,
    Blocked,
    Complete,
    Failed,
    Skipped,
}

impl TaskStatus {
    /// The name that interfaces show.
    pub fn name(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::Active => "active",
            TaskStatus::Blocked => "blocked",
            TaskStatus::Complete => "complete",
            TaskStatus::Failed => "failed",
            TaskStatus::Skipped => "skipped",
        }
    }

    /// Whether the task still holds a gate that waits for tasks.
    pub fn is_open(self) -> bool {
        !matches!(self, TaskStatus::Complete | TaskStatus::Skipped)
    }
}

/// What events said of one task by itself. How it stands follows from more: [`Standing`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub status: TaskStatus,
    /// Attempts that failed since it was defined or reopened.
    pub attempts: u32,
    /// Why it was skipped, failed, blocked or reopened last.
    pub reason: Option<String>,
    /// What was given as proof when it was completed.
    pub evidence: Option<String>,
}

/// A task that a new list left out although it was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    pub id: String,
    pub title: String,
    /// Why the list was set anew.
    pub reason: Option<String>,
}

/// The tasks of one goal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tasks {
    /// Whether open tasks hold the completion gate.
    pub block_completion: bool,
    /// How many tasks the latest list has, as its event says.
    pub count: u64,
    /// The definitions, top level first; empty when another tool keeps them in its document.
    pub specs: Vec<TaskSpec>,
    /// The definitions stand in another tool's document and in no event.
    pub in_document: bool,
    /// How the top level makes up the goal.
    pub decomp: Decomposition,
    /// What was said of each task that an event named.
    pub marks: BTreeMap<String, Mark>,
    pub evidence: Evidence,
    pub questions: Questions,
    /// Tasks that were dropped without being done; the auditor is told.
    pub removed: Vec<Removed>,
    /// Plans that failed since one came or the goal was resumed.
    pub failed_plans: u32,
}

impl Tasks {
    /// Ids and titles in depth-first order, with their depth from 0.
    pub fn flat(&self) -> Vec<(usize, &TaskSpec)> {
        let mut flat = Vec::new();
        flatten(&self.specs, 0, &mut flat);
        flat
    }

    /// What events said of the task with this id.
    pub fn mark(&self, id: &str) -> Mark {
        self.marks.get(id).cloned().unwrap_or_default()
    }

    /// The definition with this id; the first, should a stranger have used it twice.
    pub fn find(&self, id: &str) -> Option<&TaskSpec> {
        let flat = self.flat().into_iter();
        flat.map(|(_, task)| task).find(|task| task.id == id)
    }

    /// The ids from the top level down to this one; empty when it is not defined.
    pub fn path<'a>(&'a self, id: &str) -> Vec<&'a str> {
        let mut path = Vec::new();
        for (depth, task) in self.flat() {
            path.truncate(depth);
            path.push(task.id.as_str());
            if task.id == id {
                return path;
            }
        }
        Vec::new()
    }

    /// How many tasks are still to be done. Without definitions, of the number that was announced.
    pub fn open(&self) -> u64 {
        if self.specs.is_empty() {
            let done = self.marks.values().filter(|mark| !mark.status.is_open());
            return self.count.saturating_sub(done.count() as u64);
        }
        stack(self, &Standing::of(self)).len() as u64
    }
}

fn flatten<'a>(specs: &'a [TaskSpec], depth: usize, flat: &mut Vec<(usize, &'a TaskSpec)>) {
    for spec in specs {
        flat.push((depth, spec));
        flatten(&spec.tasks, depth + 1, flat);
    }
}
