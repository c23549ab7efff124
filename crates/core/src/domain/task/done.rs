//! How many tasks a goal has, and how many of them are done. Every list, screen, page and tool says it
//! by this.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::{TaskStatuses, Whole};

/// How far the tasks of a goal are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TasksDone {
    pub done: u64,
    pub all: u64,
}

impl TasksDone {
    /// The work is in the tasks without parts, so only these count, whether complete or skipped. A task
    /// with parts counts while they are over and it is open, since then it is what is left to do.
    /// Without definitions, what events said of the number that was announced.
    pub fn of(tasks: &Tasks, standing: &TaskStatuses) -> TasksDone {
        if tasks.specs.is_empty() {
            let done = tasks.marks.values().filter(|mark| !mark.status.is_open());
            return TasksDone {
                done: tasks.count.min(done.count() as u64),
                all: tasks.count,
            };
        }
        let mut counted = TasksDone::default();
        // What failed beside an alternative that did is not to be done either.
        let is_over = standing.whole() == Whole::Ready;
        counted.add_all(&tasks.specs, standing, is_over);
        counted
    }

    /// How many are still to be done.
    pub fn open(self) -> u64 {
        self.all - self.done
    }

    /// Adds these tasks. `is_over` says that what is around them has ended.
    fn add_all(&mut self, specs: &[TaskSpec], standing: &TaskStatuses, is_over: bool) {
        for task in specs {
            let is_over = is_over || !standing.status(&task.id).is_open();
            let open = self.open();
            self.add_all(&task.tasks, standing, is_over);
            let is_left = !is_over && self.open() == open;
            if task.tasks.is_empty() || is_left {
                self.all += 1;
                self.done += u64::from(is_over);
            }
        }
    }
}

impl Tasks {
    /// How many tasks are still to be done.
    pub fn open(&self) -> u64 {
        TasksDone::of(self, &TaskStatuses::of(self)).open()
    }
}
