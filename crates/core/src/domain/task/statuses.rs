//! The status of every task. It follows from events and from the task's children, conditions and
//! parent. It is computed and never stored, so it cannot disagree with the ledger.
//!
//! | a task | is |
//! |---|---|
//! | that was skipped | skipped |
//! | whose conditions, at least one, all hold, where the user is to confirm nothing below it | complete; its open descendants are moot |
//! | that was completed, where no condition of its own fails | complete |
//! | with no attempts left | failed |
//! | that was blocked | blocked |
//! | of children joined by AND, all complete or skipped | complete, once its own conditions hold too |
//! | of children joined by AND, one failed or blocked | blocked |
//! | of children joined by OR, one complete | complete likewise; the open others are moot |
//! | of children joined by OR, all skipped | skipped |
//! | of children joined by OR, all failed, or skipped beside a failed one | failed |
//! | of children joined by OR, none of them open and one blocked | blocked |
//! | that was started, or whose descendants were | active |
//! | else | pending |
//!
//! The first row that fits decides. A moot task is skipped. A verification contract counts as a
//! condition that the task's own evidence meets, except where somebody completed a task that has no
//! other conditions.

use std::collections::BTreeMap;

use crate::domain::task::condition::missing;
use crate::domain::task::primitive::Primitive;
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::state::{TaskStatus, Tasks};

/// The statuses of a goal's tasks, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskStatuses {
    statuses: BTreeMap<String, TaskStatus>,
    /// What the top-level tasks say about the goal.
    whole: Whole,
}

/// What a goal's tasks say about the goal as a whole. They never complete it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Whole {
    /// It has no tasks.
    #[default]
    None,
    /// There is something to do, or to decide.
    Open,
    /// All is done: ready for its audit.
    Ready,
}

impl TaskStatuses {
    /// The statuses of these tasks.
    pub fn of(tasks: &Tasks) -> TaskStatuses {
        let mut standing = TaskStatuses::default();
        let mut path = Vec::new();
        let top = settle_all(&mut standing, tasks, &tasks.specs, &mut path);
        standing.whole = match join(tasks.decomp, &top) {
            _ if top.is_empty() => Whole::None,
            Some(TaskStatus::Complete | TaskStatus::Skipped) => Whole::Ready,
            _ => Whole::Open,
        };
        if standing.whole == Whole::Ready {
            standing.make_moot(&tasks.specs);
        }
        standing
    }

    /// The statuses of the tasks below the last task of `along`, which is the path from the top
    /// level down to it. `None` if a task on the path has ended, because then nothing below it is
    /// to be done. Where every task on the path needs all its children, other tasks need not be
    /// looked at: no task above ends by its children while one below is open.
    pub fn below(tasks: &Tasks, along: &[&TaskSpec]) -> Option<TaskStatuses> {
        let (last, above) = along.split_last()?;
        let alternatives = above.iter().map(|task| task.decomposition());
        let mut alternatives = alternatives.chain([tasks.decomp]);
        if alternatives.any(|decomp| decomp == Decomposition::Or) {
            let standing = TaskStatuses::of(tasks);
            let open = |task: &&TaskSpec| standing.status(&task.id).is_open();
            let to_do = standing.whole != Whole::Ready && along.iter().all(open);
            return to_do.then_some(standing);
        }
        let mut path = Vec::new();
        for task in above {
            path.push(task.id.as_str());
            let asks = || asks_user(task, &TaskStatuses::of(tasks));
            if !judge(tasks, task, &path, &[], asks).is_open() {
                return None;
            }
        }
        let mut standing = TaskStatuses::default();
        let status = compute(&mut standing, tasks, last, &mut path);
        status.is_open().then_some(standing)
    }

    /// The status of one task; a task that is not defined is pending.
    pub fn status(&self, id: &str) -> TaskStatus {
        self.statuses
            .get(id)
            .copied()
            .unwrap_or(TaskStatus::Pending)
    }

    /// What the top-level tasks say about the goal.
    pub fn whole(&self) -> Whole {
        self.whole
    }

    /// Marks the open tasks below an ended task as skipped; failed ones stay failed.
    fn make_moot(&mut self, specs: &[TaskSpec]) {
        for spec in specs {
            let status = self
                .statuses
                .entry(spec.id.clone())
                .or_insert(TaskStatus::Pending);
            if status.is_open() && *status != TaskStatus::Failed {
                *status = TaskStatus::Skipped;
            }
            self.make_moot(&spec.tasks);
        }
    }
}

fn settle_all<'a>(
    standing: &mut TaskStatuses,
    tasks: &Tasks,
    specs: &'a [TaskSpec],
    path: &mut Vec<&'a str>,
) -> Vec<TaskStatus> {
    specs
        .iter()
        .map(|spec| compute(standing, tasks, spec, path))
        .collect()
}

fn compute<'a>(
    standing: &mut TaskStatuses,
    tasks: &Tasks,
    spec: &'a TaskSpec,
    path: &mut Vec<&'a str>,
) -> TaskStatus {
    path.push(&spec.id);
    let children = settle_all(standing, tasks, &spec.tasks, path);
    let status = judge(tasks, spec, path, &children, || asks_user(spec, standing));
    path.pop();
    if !status.is_open() {
        standing.make_moot(&spec.tasks);
    }
    // An id that stands twice is one task: what was said of it counts for both places.
    standing.statuses.insert(spec.id.clone(), status);
    status
}

/// Whether the user is still to confirm something below a task.
fn asks_user(spec: &TaskSpec, standing: &TaskStatuses) -> bool {
    spec.tasks.iter().any(|child| {
        let asks = || Primitive::of(child).confirms().is_some() || asks_user(child, standing);
        standing.status(&child.id).is_open() && asks()
    })
}

/// The table, row by row. `asks` says whether the user is still to confirm something below the task.
fn judge(
    tasks: &Tasks,
    spec: &TaskSpec,
    path: &[&str],
    children: &[TaskStatus],
    asks: impl FnOnce() -> bool,
) -> TaskStatus {
    let mark = tasks.mark(&spec.id);
    let missing = missing(tasks, spec, path);
    let met = (!spec.done_when.is_empty()).then(|| missing.is_empty() && !asks());
    if mark.status == TaskStatus::Skipped {
        return TaskStatus::Skipped;
    }
    if met == Some(true) || (mark.status == TaskStatus::Complete && met.is_none()) {
        return TaskStatus::Complete;
    }
    if mark.attempts >= spec.attempts_allowed() {
        return TaskStatus::Failed;
    }
    if mark.status == TaskStatus::Blocked {
        return TaskStatus::Blocked;
    }
    let joined = join(spec.decomposition(), children).filter(|_| !children.is_empty());
    match joined {
        // The task's own conditions do not hold yet.
        Some(TaskStatus::Complete) if !missing.is_empty() => TaskStatus::Active,
        Some(joined) => joined,
        None if is_begun(mark.status) || children.iter().any(|it| *it != TaskStatus::Pending) => {
            TaskStatus::Active
        }
        None => TaskStatus::Pending,
    }
}

/// A failed attempt leaves a task as if it had not begun.
fn is_begun(status: TaskStatus) -> bool {
    !matches!(status, TaskStatus::Pending | TaskStatus::Failed)
}

/// Whether the children of a task complete it.
pub fn is_joined(task: &TaskSpec, standing: &TaskStatuses) -> bool {
    let children = task.tasks.iter().map(|child| standing.status(&child.id));
    let children: Vec<TaskStatus> = children.collect();
    join(task.decomposition(), &children) == Some(TaskStatus::Complete)
}

/// The status that follows from the children; `None` while one of them can still decide it.
fn join(decomp: Decomposition, children: &[TaskStatus]) -> Option<TaskStatus> {
    use TaskStatus::{Blocked, Complete, Failed, Skipped};
    let any = |wanted: TaskStatus| children.contains(&wanted);
    let all = |wanted: &[TaskStatus]| children.iter().all(|child| wanted.contains(child));
    match decomp {
        Decomposition::And if all(&[Complete, Skipped]) => Some(Complete),
        Decomposition::And if any(Failed) || any(Blocked) => Some(Blocked),
        Decomposition::Or if any(Complete) => Some(Complete),
        Decomposition::Or if all(&[Skipped]) => Some(Skipped),
        Decomposition::Or if all(&[Failed, Skipped]) => Some(Failed),
        Decomposition::Or if all(&[Failed, Skipped, Blocked]) => Some(Blocked),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
