//! Order between tasks: which open tasks a task waits for, and circles of tasks that wait for each other.
//!
//! A task waits while a task that its `after` names is still to be done. One that is complete, skipped,
//! not needed any more or not defined any more holds nothing up; one that failed or is blocked does, and
//! so does a skipped one that asks the user to confirm, where their answer was no.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};
use crate::domain::task::statuses::{TaskStatuses, Whole};

/// The tasks that hold others up. Empty where no task names another one.
#[derive(Debug, Default)]
pub struct Waiting<'a> {
    open: BTreeSet<&'a str>,
}

impl<'a> Waiting<'a> {
    /// Those of a goal's tasks.
    pub fn of(tasks: &'a Tasks, standing: &TaskStatuses) -> Waiting<'a> {
        let mut waiting = Waiting::default();
        if standing.whole() == Whole::Open && says_order(&tasks.specs) {
            waiting.add_open(&tasks.specs, standing);
            waiting.add_denied(tasks);
        }
        waiting
    }

    fn add_open(&mut self, specs: &'a [TaskSpec], standing: &TaskStatuses) {
        for spec in specs {
            // What is below an ended task is not to be done.
            if standing.status(&spec.id).is_open() {
                self.open.insert(&spec.id);
                self.add_open(&spec.tasks, standing);
            }
        }
    }

    /// The skipped tasks whose last question the user answered with no.
    fn add_denied(&mut self, tasks: &'a Tasks) {
        for question in tasks.questions.all() {
            let (Some(id), Some(answer)) = (question.task_id.as_deref(), &question.answer) else {
                continue;
            };
            let is_skipped = tasks.mark(id).status == TaskStatus::Skipped;
            match tasks.find(id).filter(|_| is_skipped) {
                Some(task) if **answer == false => self.open.insert(&task.id),
                Some(task) => self.open.remove(&*task.id),
                None => continue,
            };
        }
    }

    /// What holds a task up, by ids in the order in which it names them.
    pub fn holders<'t>(&self, task: &'t TaskSpec) -> Vec<&'t str> {
        let named = task.after.iter().map(String::as_str);
        named.filter(|id| self.open.contains(id)).collect()
    }

    /// Whether something holds the task up.
    pub fn holds_up(&self, task: &TaskSpec) -> bool {
        task.after.iter().any(|id| self.open.contains(id.as_str()))
    }
}

/// Whether one of these tasks, or of those below them, names another one.
fn says_order(specs: &[TaskSpec]) -> bool {
    let says = |spec: &TaskSpec| !spec.after.is_empty() || says_order(&spec.tasks);
    specs.iter().any(says)
}

/// The ids of tasks that wait for each other, from one of them round to itself; nothing where no task
/// waits for itself. What is below a task waits with it, and a task waits for what is below it.
pub fn circle(specs: &[TaskSpec]) -> Option<Vec<String>> {
    if !says_order(specs) {
        return None;
    }
    let mut needs = Needs::default();
    needs.add(specs, None);
    needs.circle()
}

/// The beginning or the end of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment<'a> {
    Begin(&'a str),
    End(&'a str),
}

impl<'a> Moment<'a> {
    fn task(self) -> &'a str {
        match self {
            Moment::Begin(id) | Moment::End(id) => id,
        }
    }
}

/// What has to be before each moment.
#[derive(Debug, Default)]
struct Needs<'a> {
    all: BTreeMap<Moment<'a>, Vec<Moment<'a>>>,
}

impl<'a> Needs<'a> {
    fn add(&mut self, specs: &'a [TaskSpec], parent: Option<&'a str>) {
        for spec in specs {
            let (begin, end) = (Moment::Begin(&spec.id), Moment::End(&spec.id));
            let before = self.all.entry(begin).or_default();
            before.extend(spec.after.iter().map(|id| Moment::End(id)));
            before.extend(parent.map(Moment::Begin));
            self.all.entry(end).or_default().push(begin);
            if let Some(parent) = parent {
                self.all.entry(Moment::End(parent)).or_default().push(end);
            }
            self.add(&spec.tasks, Some(&spec.id));
        }
    }

    fn circle(&self) -> Option<Vec<String>> {
        let left = self.never();
        let first = *left.first()?;
        // Each moment that is never reached needs another one of them.
        let mut walk = vec![first];
        let from = loop {
            let now = *walk.last()?;
            let next = self.all.get(&now)?.iter().find(|it| left.contains(it))?;
            if let Some(from) = walk.iter().position(|it| it == next) {
                break from;
            }
            walk.push(*next);
        };
        let mut ids: Vec<&str> = walk[from..].iter().map(|it| it.task()).collect();
        ids.dedup();
        if ids.len() > 1 && ids.first() == ids.last() {
            ids.pop();
        }
        ids.push(ids[0]);
        Some(ids.into_iter().map(str::to_owned).collect())
    }

    /// The moments that are never reached.
    fn never(&self) -> BTreeSet<Moment<'a>> {
        let mut counts: BTreeMap<Moment<'a>, usize> = BTreeMap::new();
        let mut opens: BTreeMap<Moment<'a>, Vec<Moment<'a>>> = BTreeMap::new();
        for (moment, before) in &self.all {
            // What is no task holds nothing up.
            let before = before.iter().filter(|it| self.all.contains_key(it));
            let mut count = 0;
            for it in before {
                count += 1;
                opens.entry(*it).or_default().push(*moment);
            }
            counts.insert(*moment, count);
        }
        let free = counts.iter().filter(|(_, count)| **count == 0);
        let mut free: Vec<Moment<'a>> = free.map(|(moment, _)| *moment).collect();
        while let Some(moment) = free.pop() {
            counts.remove(&moment);
            for next in opens.remove(&moment).unwrap_or_default() {
                if let Some(count) = counts.get_mut(&next) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(next);
                    }
                }
            }
        }
        counts.into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(id: &str, after: &[&str], tasks: Vec<TaskSpec>) -> TaskSpec {
        TaskSpec {
            after: after.iter().map(|it| (*it).to_owned()).collect(),
            tasks,
            ..TaskSpec::new(id, id)
        }
    }

    #[test]
    fn a_circle_is_found_whatever_is_between() {
        let none = |specs: &[TaskSpec]| assert_eq!(circle(specs), None);
        let ids = |specs: &[TaskSpec]| circle(specs).unwrap().join(" ");
        none(&[task("1", &[], vec![]), task("2", &["1"], vec![])]);
        none(&[task("1", &["2", "gone"], vec![]), task("2", &[], vec![])]);
        assert_eq!(ids(&[task("1", &["1"], vec![])]), "1 1");
        let two = [task("1", &["2"], vec![]), task("2", &["1"], vec![])];
        assert_eq!(ids(&two), "1 2 1");
        let below = [
            task("1", &[], vec![task("1.1", &["2"], vec![])]),
            task("2", &["1"], vec![]),
        ];
        assert_eq!(ids(&below), "1.1 2 1 1.1");
        let parent = [task("1", &[], vec![task("1.1", &["1"], vec![])])];
        assert_eq!(ids(&parent), "1.1 1 1.1");
        let child = [task("1", &["1.1"], vec![task("1.1", &[], vec![])])];
        assert_eq!(ids(&child), "1 1.1 1");
        let sisters = [
            task(
                "1",
                &[],
                vec![task("1.1", &["1.2"], vec![]), task("1.2", &[], vec![])],
            ),
            task("2", &["1.1"], vec![]),
        ];
        none(&sisters);
    }
}
