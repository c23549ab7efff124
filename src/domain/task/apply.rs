//! How task events change a goal's tasks. Structure only, never policy.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::event::Payload;
use crate::domain::task::evidence::{Given, Judged};
use crate::domain::task::order::{Frame, stack, stack_of};
use crate::domain::task::spec::TaskSpec;
use crate::domain::task::state::{Mark, Removed, TaskStatus, Tasks};
use crate::domain::task::statuses::TaskStatuses;

/// The reason by which pi-goal-xx says that a task is not skipped any more.
const UNSKIPPED: &str = "unskipped (toggle via skip_task)";

/// Applies an event; those that are not about tasks change nothing.
pub fn apply(tasks: &mut Tasks, payload: &Payload, at: &str) {
    match payload {
        Payload::TaskListSet(set) => {
            let kept = titles(set.tasks.as_deref().unwrap_or_default());
            let dropped = dropped(tasks, &kept, set.reason.as_deref());
            tasks.remove(dropped);
            tasks.failed_plans = 0;
            tasks.count = set.task_count;
            tasks.block_completion = set.block_completion;
            tasks.decomp = set.decomp.unwrap_or_default();
            // A list of another writer stands in its document: what was defined before is over,
            // what became of ids stays, to be matched with the ids there
            // (docs/ledger-format.md#tasks).
            tasks.define(set.tasks.clone().unwrap_or_default());
            tasks.in_document = false;
            if let Some(specs) = &set.tasks {
                let known = titles(specs);
                tasks.marks.retain(|id, _| known.contains_key(&**id));
                tasks.take_back(&known);
            }
        }
        Payload::TaskAdded(added) => tasks.add(&added.tasks),
        Payload::TaskUpdated(updated) => {
            updated.tasks.iter().for_each(|spec| tasks.replace(spec));
            if !tasks.specs.is_empty() {
                tasks.count = tasks.size();
            }
        }
        Payload::TaskExpanded(expanded) => {
            if let Some(parent) = tasks.find(&expanded.task_id) {
                let parent = TaskSpec {
                    tasks: expanded.tasks.clone(),
                    decomp: Some(expanded.decomp),
                    ..parent.without_tasks()
                };
                expand(tasks, &parent);
            }
            tasks.failed_plans = 0;
        }
        other => progress(tasks, other, at),
    }
}

/// What became of tasks, and what was shown: changes nothing of what is to be done.
fn progress(tasks: &mut Tasks, payload: &Payload, at: &str) {
    use TaskStatus::{Active, Blocked, Complete, Failed, Pending, Skipped};
    match payload {
        Payload::TaskStarted(task) => mark(tasks, &task.task_id, Active, None),
        Payload::TaskComplete(task) => {
            mark(tasks, &task.task_id, Complete, None);
            entry(tasks, &task.task_id)
                .evidence
                .clone_from(&task.evidence);
        }
        // One of the family skips and un-skips by the same event.
        Payload::TaskSkipped(task) if task.reason.as_deref() == Some(UNSKIPPED) => {
            mark(tasks, &task.task_id, Pending, None);
        }
        Payload::TaskSkipped(task) => mark(tasks, &task.task_id, Skipped, task.reason.clone()),
        Payload::TaskFailed(task) => mark(tasks, &task.task_id, Failed, task.reason.clone()),
        Payload::TaskBlocked(task) => mark(tasks, &task.task_id, Blocked, task.reason.clone()),
        Payload::TaskReopened(task) => {
            mark(tasks, &task.task_id, Pending, task.reason.clone());
            let mark = entry(tasks, &task.task_id);
            (mark.attempts, mark.evidence) = (0, None);
            tasks.evidence.drop_of(&task.task_id);
        }
        Payload::EvidenceAdded(added) => tasks.evidence.give(Given {
            task_id: added.task_id.clone(),
            key: added.key.clone(),
            value: added.value.clone(),
            source: added.source.clone(),
            at: at.to_owned(),
        }),
        Payload::QuestionAsked(asked) => tasks.questions.ask(asked, at),
        Payload::QuestionAnswered(answered) => tasks.questions.answer(answered),
        Payload::ConditionChecked(checked) => {
            let judged = Judged {
                satisfied: checked.satisfied,
                reasoning: checked.reasoning.clone(),
                evidence_hash: checked.evidence_hash.clone(),
            };
            let task_id = checked.task_id.clone();
            tasks.evidence.judge(task_id, &checked.predicate, judged);
        }
        Payload::PlanFailed(_) => tasks.failed_plans = tasks.failed_plans.saturating_add(1),
        _ => {}
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
    let gone = left.filter(|(task, _)| kept.get(&*task.id) != Some(&&*task.title));
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
    tasks.replace(parent);
    tasks.count = tasks.size();
}

fn entry<'a>(tasks: &'a mut Tasks, id: &str) -> &'a mut Mark {
    tasks.marks.entry(id.to_owned()).or_default()
}

fn mark(tasks: &mut Tasks, id: &str, status: TaskStatus, reason: Option<String>) {
    // A late start or failure does not take a completion back; only a reopening does.
    let late = matches!(
        status,
        TaskStatus::Active | TaskStatus::Failed | TaskStatus::Blocked
    );
    let mark = entry(tasks, id);
    if late && !mark.status.is_open() {
        return;
    }
    mark.status = status;
    mark.reason = reason;
    if status == TaskStatus::Failed {
        mark.attempts = mark.attempts.saturating_add(1);
    }
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
