//! What comes next: the stack of open tasks, and the step on top of it. Pure functions of state.

use crate::domain::task::condition::{Condition, missing};
use crate::domain::task::question::{held, is_of_one, pending};
use crate::domain::task::spec::{Decomposition, TaskSpec};
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::{TaskStatuses, Whole, is_joined};

/// One open task on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<'a> {
    pub task: &'a TaskSpec,
    /// From 0 for the top level.
    pub depth: usize,
    pub status: TaskStatus,
    /// It is made of open tasks above it on the stack, and waits for them.
    pub waits: bool,
}

/// The stack, top first: depth-first, a first child before its siblings, a parent below all its
/// children. What is complete or skipped is not on it.
pub fn stack<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<Frame<'a>> {
    let mut frames = Vec::new();
    // What failed beside an alternative that did is not to be done either.
    if standing.whole() != Whole::Ready {
        push_all(&tasks.specs, 0, standing, &mut frames);
    }
    frames
}

/// The same for these tasks, which something open is made of.
pub fn stack_of<'a>(specs: &'a [TaskSpec], standing: &TaskStatuses) -> Vec<Frame<'a>> {
    let mut frames = Vec::new();
    push_all(specs, 0, standing, &mut frames);
    frames
}

fn push_all<'a>(
    specs: &'a [TaskSpec],
    depth: usize,
    standing: &TaskStatuses,
    frames: &mut Vec<Frame<'a>>,
) {
    for task in specs {
        let status = standing.status(&task.id);
        if !status.is_open() {
            continue;
        }
        let below = frames.len();
        push_all(&task.tasks, depth + 1, standing, frames);
        let waits = frames.len() > below;
        frames.push(Frame {
            task,
            depth,
            status,
            waits,
        });
    }
}

impl Tasks {
    /// How many tasks are still to be done. Without definitions, of the number that was announced.
    pub fn open(&self) -> u64 {
        if self.specs.is_empty() {
            let done = self.marks.values().filter(|mark| !mark.status.is_open());
            return self.count.saturating_sub(done.count() as u64);
        }
        stack(self, &TaskStatuses::of(self)).len() as u64
    }
}

/// What is to be done now.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<'a> {
    /// The goal has no tasks.
    NoTasks,
    /// This primitive task.
    Work(&'a TaskSpec),
    /// This task is still to be decomposed.
    Plan(&'a TaskSpec),
    /// All its children are done, and these conditions of its own do not hold yet.
    Prove(&'a TaskSpec, Vec<Condition<'a>>),
    /// Nothing before this task is lifted, reopened or skipped.
    Stuck(&'a TaskSpec),
    /// All is done: request completion.
    Ready,
}

/// What comes next, in the order in which the tasks stand. Alternatives are tried one by one, and
/// one that failed or is blocked is passed over.
pub fn next<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Step<'a> {
    match standing.whole() {
        Whole::None => Step::NoTasks,
        Whole::Ready => Step::Ready,
        Whole::Open => {
            let path = &mut Vec::new();
            // The top level is open, so one of its tasks is.
            first(tasks, standing, &tasks.specs, tasks.decomp, path).unwrap_or(Step::Ready)
        }
    }
}

/// The tasks that are in the way where nothing can be worked: the one that [`next`] names, and where
/// it is one of several alternatives, those of the others too, since each would do. Empty while
/// something can be worked.
pub fn in_the_way<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<&'a TaskSpec> {
    let mut found = Vec::new();
    if let Step::Stuck(_) = next(tasks, standing) {
        stuck_of(tasks, standing, (&tasks.specs, tasks.decomp), &mut found);
    }
    found
}

fn stuck_of<'a>(
    tasks: &'a Tasks,
    standing: &TaskStatuses,
    (specs, decomp): (&'a [TaskSpec], Decomposition),
    found: &mut Vec<&'a TaskSpec>,
) {
    for task in specs {
        if !standing.status(&task.id).is_open() {
            continue;
        }
        match step(tasks, standing, task, &mut tasks.path(&task.id)) {
            Step::Stuck(stuck) if stuck.id == task.id => found.push(stuck),
            Step::Stuck(_) => {
                stuck_of(tasks, standing, (&task.tasks, task.decomposition()), found);
            }
            _ => {}
        }
        if decomp != Decomposition::Or {
            return;
        }
    }
}

/// The checkpoint that is worked next, a task of the top level: the one that the next step belongs to. If
/// that one alone waits for the user's answer, it is the first that does not.
pub fn current_checkpoint<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Option<&'a TaskSpec> {
    let task = match next(tasks, standing) {
        Step::Work(task) | Step::Plan(task) | Step::Prove(task, _) | Step::Stuck(task) => task,
        Step::NoTasks | Step::Ready => return None,
    };
    let path = tasks.path(&task.id);
    let first = tasks.find(path.first()?)?;
    let held = held(tasks, standing);
    if !held.contains(&*first.id) {
        return Some(first);
    }
    let is_free = |task: &&TaskSpec| {
        standing.status(&task.id).is_open()
            && !held.contains(&*task.id)
            && !matches!(
                step(tasks, standing, task, &mut vec![&task.id]),
                Step::Stuck(_)
            )
    };
    Some(tasks.specs.iter().find(is_free).unwrap_or(first))
}

/// Whether nothing can be worked before the user has answered.
pub fn waits_for_answer(tasks: &Tasks) -> bool {
    if tasks.questions.all().is_empty() {
        return false;
    }
    let standing = TaskStatuses::of(tasks);
    let pending = pending(tasks, &standing);
    let held = held(tasks, &standing);
    let current = current_checkpoint(tasks, &standing);
    !pending.is_empty()
        && (!pending.iter().all(is_of_one) || current.is_none_or(|it| held.contains(&*it.id)))
}

fn first<'a>(
    tasks: &'a Tasks,
    standing: &TaskStatuses,
    specs: &'a [TaskSpec],
    decomp: Decomposition,
    path: &mut Vec<&'a str>,
) -> Option<Step<'a>> {
    let mut stuck = None;
    for task in specs {
        if !standing.status(&task.id).is_open() {
            continue;
        }
        path.push(&task.id);
        let step = step(tasks, standing, task, path);
        path.pop();
        match (decomp, step) {
            // Another alternative may do.
            (Decomposition::Or, Step::Stuck(task)) => {
                stuck = stuck.or(Some(Step::Stuck(task)));
            }
            (_, step) => return Some(step),
        }
    }
    stuck
}

fn step<'a>(
    tasks: &'a Tasks,
    standing: &TaskStatuses,
    task: &'a TaskSpec,
    path: &mut Vec<&'a str>,
) -> Step<'a> {
    let mark = tasks.mark(&task.id);
    let spent = mark.attempts >= task.attempts_allowed();
    if spent || mark.status == TaskStatus::Blocked {
        return Step::Stuck(task);
    }
    if task.tasks.is_empty() {
        return match task.is_composite() {
            true => Step::Plan(task),
            false => Step::Work(task),
        };
    }
    let open = match is_joined(task, standing) {
        true => None,
        false => first(tasks, standing, &task.tasks, task.decomposition(), path),
    };
    open.unwrap_or_else(|| Step::Prove(task, missing(tasks, task, path)))
}

#[cfg(test)]
mod held_tests;
#[cfg(test)]
mod tests;
