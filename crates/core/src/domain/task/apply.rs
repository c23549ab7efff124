//! How events change a goal's tasks. Structure only, never policy.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::event::{TaskExpanded, TaskListSet};
use crate::domain::task::order::{Frame, stack, stack_of};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{Mark, Removed, TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

impl Tasks {
    /// Sets the list anew.
    pub(in crate::domain) fn set(&mut self, set: &TaskListSet) {
        let kept = titles(set.tasks.as_deref().unwrap_or_default());
        let dropped = dropped(self, &kept, set.reason.as_deref());
        self.remove(dropped);
        self.failed_plans = 0;
        self.count = set.task_count;
        self.block_completion = set.block_completion;
        self.decomp = set.decomp.unwrap_or_default();
        // A list of another writer stands in its document: what was defined before is over,
        // what became of ids stays, to be matched with the ids there
        // (docs/ledger-format.md#tasks).
        let before = std::mem::take(&mut self.specs);
        self.take_over(&before, set.tasks.as_deref().unwrap_or_default());
        self.define(set.tasks.clone().unwrap_or_default());
        self.in_document = false;
        if let Some(specs) = &set.tasks {
            let known = titles(specs);
            self.marks.retain(|id, _| known.contains_key(&**id));
            self.take_back(&known);
        }
    }

    /// Defines tasks anew, by id.
    pub(in crate::domain) fn update(&mut self, specs: &[TaskSpec]) {
        for spec in specs {
            if !self.has_place_for(spec) {
                continue;
            }
            let before = self.find(&spec.id).cloned();
            self.take_over(before.as_slice(), std::slice::from_ref(spec));
            self.replace(spec);
        }
        if !self.specs.is_empty() {
            self.count = self.size();
        }
    }

    /// Puts children below a task.
    pub(in crate::domain) fn expand(&mut self, expanded: &TaskExpanded) {
        if let Some(parent) = self.find(&expanded.task_id) {
            let parent = TaskSpec {
                tasks: expanded.tasks.clone(),
                decomp: Some(expanded.decomp),
                ..parent.without_tasks()
            };
            expand(self, &parent);
        }
        self.failed_plans = 0;
    }

    /// Notes what became of a task. A late start or failure does not take a completion back; only
    /// a reopening does.
    pub(in crate::domain) fn set_mark(
        &mut self,
        id: &str,
        status: TaskStatus,
        reason: Option<String>,
    ) -> &mut Mark {
        let late = matches!(
            status,
            TaskStatus::Active | TaskStatus::Failed | TaskStatus::Blocked
        );
        let mark = self.marks.entry(id.to_owned()).or_default();
        if !mark.had.contains(&status) {
            mark.had.push(status);
        }
        if late && !mark.status.is_open() {
            return mark;
        }
        mark.status = status;
        mark.reason = reason;
        if status == TaskStatus::Failed {
            mark.attempts = mark.attempts.saturating_add(1);
        }
        mark
    }
}

/// All tasks that are let go for `kept`.
fn dropped(tasks: &Tasks, kept: &BTreeMap<&str, &str>, reason: Option<&str>) -> Vec<Removed> {
    let open = stack(tasks, &TaskStatuses::of(tasks));
    gone(tasks, open, &tasks.flat(), kept, reason)
}

/// Those of these tasks that were not done, open or skipped, and are not among `kept`, titles by
/// id: under another title an id is another task.
fn gone(
    tasks: &Tasks,
    open: Vec<Frame<'_>>,
    all: &[(usize, &TaskSpec)],
    kept: &BTreeMap<&str, &str>,
    reason: Option<&str>,
) -> Vec<Removed> {
    let open = open.into_iter();
    let open = open.map(|frame| (frame.task, reason.map(str::to_owned)));
    let skipped = all.iter().filter_map(|(_, task)| {
        let mark = tasks.mark(&task.id);
        (mark.status == TaskStatus::Skipped).then_some((*task, mark.reason))
    });
    let left = open.chain(skipped);
    let gone =
        left.filter(|(task, _)| kept.get(&*task.id).map(|it| it.trim()) != Some(task.title.trim()));
    let removed = gone.map(|(task, reason)| Removed {
        id: task.id.clone(),
        title: task.title.clone(),
        reason,
    });
    removed.collect()
}

/// Puts these tasks below the one that has them, and lets go of those below it before that are not
/// among them.
fn expand(tasks: &mut Tasks, parent: &TaskSpec) {
    if !tasks.has_place_for(parent) {
        return;
    }
    let kept = titles(&parent.tasks);
    let along = tasks.along(&parent.id);
    if let Some(before) = along.last().filter(|before| !before.tasks.is_empty()) {
        let below = Tasks::flat_of(&before.tasks);
        let open = match TaskStatuses::below(tasks, &along) {
            Some(standing) => stack_of(&before.tasks, &standing),
            None => Vec::new(),
        };
        let removed = gone(tasks, open, &below, &kept, None);
        let ids = below.iter().map(|(_, task)| &task.id);
        let forgotten: BTreeSet<String> = ids
            .filter(|id| !kept.contains_key(id.as_str()))
            .cloned()
            .collect();
        tasks.remove(removed);
        for id in &forgotten {
            tasks.marks.remove(id);
        }
    }
    let before = tasks.find(&parent.id).map(|before| before.tasks.clone());
    tasks.take_over(before.as_deref().unwrap_or_default(), &parent.tasks);
    tasks.replace(parent);
    tasks.count = tasks.size();
}

/// Title of each task, by id.
fn titles(specs: &[TaskSpec]) -> BTreeMap<&str, &str> {
    fn collect<'a>(specs: &'a [TaskSpec], titles: &mut BTreeMap<&'a str, &'a str>) {
        for spec in specs {
            titles.insert(&spec.id, &spec.title);
            collect(&spec.tasks, titles);
        }
    }
    let mut all = BTreeMap::new();
    collect(specs, &mut all);
    all
}

#[cfg(test)]
mod tests;
