//! What comes next: the stack of open tasks, and the step on top of it. Pure functions of state.

use std::collections::BTreeSet;

use crate::domain::task::after::Waiting;
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
    /// It waits for other open tasks: those it is made of, or those that it or a task around it is to
    /// come after.
    pub waits: bool,
}

/// The stack, top first: depth-first, a first child before its siblings, a parent below all its
/// children. What waits for tasks elsewhere comes after what does not. What is complete or skipped is
/// not on it.
pub fn stack<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<Frame<'a>> {
    let mut frames = Vec::new();
    // What failed beside an alternative that did is not to be done either.
    if standing.whole() != Whole::Ready {
        let waiting = Waiting::of(tasks, standing);
        let around = Around {
            depth: 0,
            is_held: false,
        };
        push_all(&tasks.specs, around, standing, &waiting, &mut frames);
        // A sort that leaves equals as they are.
        frames.sort_by_key(|(is_held, _)| *is_held);
    }
    frames.into_iter().map(|(_, frame)| frame).collect()
}

/// The same for these tasks, which something open is made of.
pub fn stack_of<'a>(specs: &'a [TaskSpec], standing: &TaskStatuses) -> Vec<Frame<'a>> {
    let mut frames = Vec::new();
    let around = Around {
        depth: 0,
        is_held: false,
    };
    push_all(specs, around, standing, &Waiting::default(), &mut frames);
    frames.into_iter().map(|(_, frame)| frame).collect()
}

/// What is around some tasks.
#[derive(Clone, Copy)]
struct Around {
    depth: usize,
    /// Something elsewhere holds it up, and so all that is in it.
    is_held: bool,
}

/// Pushes the open ones, each with whether something elsewhere holds it, or a task below it, up.
fn push_all<'a>(
    specs: &'a [TaskSpec],
    around: Around,
    standing: &TaskStatuses,
    waiting: &Waiting<'_>,
    frames: &mut Vec<(bool, Frame<'a>)>,
) {
    for task in specs {
        let status = standing.status(&task.id);
        if !status.is_open() {
            continue;
        }
        let is_held = around.is_held || waiting.holds_up(task);
        let below = frames.len();
        let inside = Around {
            depth: around.depth + 1,
            is_held,
        };
        push_all(&task.tasks, inside, standing, waiting, frames);
        let part_is_held = frames[below..].iter().any(|(is_held, _)| *is_held);
        let frame = Frame {
            task,
            depth: around.depth,
            status,
            waits: is_held || frames.len() > below,
        };
        frames.push((is_held || part_is_held, frame));
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
    /// Nothing before this task is lifted, reopened or skipped; or before it waits for itself no more.
    Stuck(&'a TaskSpec),
    /// All is done: request completion.
    Ready,
}

/// What comes next, in the order in which the tasks stand. Alternatives are tried one by one, and
/// one that failed or is blocked is passed over. So is what waits for other tasks.
pub fn next<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Step<'a> {
    match standing.whole() {
        Whole::None => Step::NoTasks,
        Whole::Ready => Step::Ready,
        Whole::Open => {
            let search = Search {
                tasks,
                standing,
                waiting: Waiting::of(tasks, standing),
            };
            // The top level is open, so one of its tasks is.
            match search.first(&tasks.specs, tasks.decomp, &mut Vec::new()) {
                None => Step::Ready,
                Some(Found::Step(step)) => step,
                Some(Found::Waits(task)) => Step::Stuck(search.holder(task)),
            }
        }
    }
}

/// The tasks that are in the way where nothing can be worked: the one that [`next`] names, and where
/// it is one of several alternatives, those of the others too, since each would do. Empty while
/// something can be worked.
pub fn in_the_way<'a>(tasks: &'a Tasks, standing: &TaskStatuses) -> Vec<&'a TaskSpec> {
    let Step::Stuck(first) = next(tasks, standing) else {
        return Vec::new();
    };
    let search = Search {
        tasks,
        standing,
        waiting: Waiting::of(tasks, standing),
    };
    let mut found = Vec::new();
    search.stuck_of(&tasks.specs, tasks.decomp, &mut found);
    if found.iter().all(|task| task.id != first.id) {
        found.insert(0, first);
    }
    found
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
    let search = Search {
        tasks,
        standing,
        waiting: Waiting::of(tasks, standing),
    };
    let is_free = |task: &&TaskSpec| {
        standing.status(&task.id).is_open()
            && !held.contains(&*task.id)
            && !matches!(
                search.step(task, &mut vec![&task.id]),
                Found::Step(Step::Stuck(_)) | Found::Waits(_)
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

/// What is found at a task that is open.
enum Found<'a> {
    Step(Step<'a>),
    /// This task waits for others, and nothing else here can be done.
    Waits(&'a TaskSpec),
}

/// The look for what can be done.
struct Search<'a, 's> {
    tasks: &'a Tasks,
    standing: &'s TaskStatuses,
    waiting: Waiting<'a>,
}

impl<'a> Search<'a, '_> {
    fn first(
        &self,
        specs: &'a [TaskSpec],
        decomp: Decomposition,
        path: &mut Vec<&'a str>,
    ) -> Option<Found<'a>> {
        let (mut waits, mut stuck) = (None, None);
        for task in specs {
            if !self.standing.status(&task.id).is_open() {
                continue;
            }
            path.push(&task.id);
            let found = self.step(task, path);
            path.pop();
            match (decomp, found) {
                (_, Found::Waits(task)) => waits = waits.or(Some(task)),
                // Another alternative may do.
                (Decomposition::Or, Found::Step(Step::Stuck(task))) => {
                    stuck = stuck.or(Some(task));
                }
                (_, found) => return Some(found),
            }
        }
        // What it waits for may be done before a stuck alternative is looked at.
        let waits = waits.map(Found::Waits);
        waits.or(stuck.map(|task| Found::Step(Step::Stuck(task))))
    }

    fn step(&self, task: &'a TaskSpec, path: &mut Vec<&'a str>) -> Found<'a> {
        if self.waiting.holds_up(task) {
            return Found::Waits(task);
        }
        if self.is_stuck(task) {
            return Found::Step(Step::Stuck(task));
        }
        if task.tasks.is_empty() {
            return Found::Step(match task.is_composite() {
                true => Step::Plan(task),
                false => Step::Work(task),
            });
        }
        let open = match is_joined(task, self.standing) {
            true => None,
            false => self.first(&task.tasks, task.decomposition(), path),
        };
        open.unwrap_or_else(|| Found::Step(Step::Prove(task, missing(self.tasks, task, path))))
    }

    /// The stuck tasks among these and below them, of which one is enough where they are alternatives.
    fn stuck_of(
        &self,
        specs: &'a [TaskSpec],
        decomp: Decomposition,
        found: &mut Vec<&'a TaskSpec>,
    ) {
        for task in specs {
            if !self.standing.status(&task.id).is_open() {
                continue;
            }
            match self.step(task, &mut self.tasks.path(&task.id)) {
                Found::Waits(_) => continue,
                Found::Step(Step::Stuck(stuck)) if stuck.id == task.id => found.push(stuck),
                Found::Step(Step::Stuck(_)) => {
                    self.stuck_of(&task.tasks, task.decomposition(), found);
                }
                Found::Step(_) => {}
            }
            if decomp != Decomposition::Or {
                return;
            }
        }
    }

    fn is_stuck(&self, task: &TaskSpec) -> bool {
        let mark = self.tasks.mark(&task.id);
        mark.attempts >= task.attempts_allowed() || mark.status == TaskStatus::Blocked
    }

    /// What holds up a task where everything waits: a task that is stuck, or one that waits for itself.
    fn holder(&self, waiting: &'a TaskSpec) -> &'a TaskSpec {
        let mut at = waiting;
        let mut seen = BTreeSet::new();
        while seen.insert(&at.id) {
            let along = self.tasks.along(&at.id);
            let inside = along.iter().find_map(|task| {
                let holder = *self.waiting.holders(task).first()?;
                self.tasks.find(holder)
            });
            let below = || {
                let mut path: Vec<&str> = along.iter().map(|task| &*task.id).collect();
                match self.step(at, &mut path) {
                    Found::Step(Step::Stuck(task)) | Found::Waits(task) => task,
                    Found::Step(_) => at,
                }
            };
            at = match inside {
                Some(holder) => holder,
                None => along
                    .iter()
                    .find(|task| self.is_stuck(task))
                    .copied()
                    .unwrap_or_else(below),
            };
        }
        at
    }
}

#[cfg(test)]
mod after_tests;
#[cfg(test)]
mod held_tests;
#[cfg(test)]
mod tests;
