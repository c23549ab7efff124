//! A goal's tasks as replay knows them: enough to show them and to hold the gate.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::task::events::TaskSpec;

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskStatus {
    Pending,
    Active,
    Blocked,
    Complete,
    Failed,
    Skipped,
}

impl TaskStatus {
    /// Whether the task still holds a gate that waits for tasks.
    pub fn is_open(self) -> bool {
        !matches!(self, TaskStatus::Complete | TaskStatus::Skipped)
    }
}

/// The tasks of one goal.
#[derive(Debug, Clone, Default)]
pub struct Tasks {
    /// Whether open tasks hold the completion gate.
    pub block_completion: bool,
    /// How many tasks the latest list has, as its event says.
    pub count: u64,
    /// The definitions, top level first; empty when another tool keeps them in its document.
    pub specs: Vec<TaskSpec>,
    /// What became of each task that an event named.
    pub status: BTreeMap<String, TaskStatus>,
}

impl Tasks {
    /// Ids and titles in depth-first order, with their depth from 0.
    pub fn flat(&self) -> Vec<(usize, &TaskSpec)> {
        let mut flat = Vec::new();
        flatten(&self.specs, 0, &mut flat);
        flat
    }

    /// What became of the task with this id.
    pub fn status_of(&self, id: &str) -> TaskStatus {
        self.status.get(id).copied().unwrap_or(TaskStatus::Pending)
    }

    /// How many tasks are still open. Without definitions, of the number that was announced.
    pub fn open(&self) -> u64 {
        if self.specs.is_empty() {
            let done = self
                .status
                .values()
                .filter(|status| !status.is_open())
                .count();
            return self.count.saturating_sub(done as u64);
        }
        let flat = self.flat();
        let open = flat
            .iter()
            .filter(|(_, task)| self.status_of(&task.id).is_open());
        open.count() as u64
    }
}

fn flatten<'a>(specs: &'a [TaskSpec], depth: usize, flat: &mut Vec<(usize, &'a TaskSpec)>) {
    for spec in specs {
        flat.push((depth, spec));
        flatten(&spec.tasks, depth + 1, flat);
    }
}
