//! How task events change a goal's tasks. Structure only, never policy.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::event::Payload;
use crate::domain::task::events::TaskSpec;
use crate::domain::task::evidence::{Given, Judged};
use crate::domain::task::order::stack;
use crate::domain::task::standing::Standing;
use crate::domain::task::state::{Mark, Removed, TaskStatus, Tasks};

/// Applies an event; those that are not about tasks change nothing.
pub fn apply(tasks: &mut Tasks, payload: &Payload, at: &str) {
    match payload {
        Payload::TaskListSet(set) => {
            let kept = titles(set.tasks.as_deref().unwrap_or_default());
            let dropped = dropped(tasks, &kept, set.reason.as_deref());
            tasks.removed.extend(dropped);
            tasks.failed_plans = 0;
            tasks.count = set.task_count;
            tasks.block_completion = set.block_completion;
            tasks.decomp = set.decomp.unwrap_or_default();
            // A list of another writer stands in its document: what was defined before is over,
            // what became of ids stays, to be matched with the ids there (DESIGN §3.4).
            tasks.specs = set.tasks.clone().unwrap_or_default();
            tasks.in_document = false;
            if set.tasks.is_some() {
                let known = titles(&tasks.specs);
                tasks.marks.retain(|id, _| known.contains_key(&**id));
                tasks
                    .removed
                    .retain(|removed| known.get(&*removed.id) != Some(&&*removed.title));
            }
        }
        Payload::TaskAdded(added) => {
            tasks.specs.extend(added.tasks.iter().cloned());
            tasks.count = size(&tasks.specs);
        }
        Payload::TaskUpdated(updated) => {
            updated
                .tasks
                .iter()
                .for_each(|spec| replace(&mut tasks.specs, spec));
            if !tasks.specs.is_empty() {
                tasks.count = size(&tasks.specs);
            }
        }
        Payload::TaskExpanded(expanded) => {
            forget_below(tasks, &expanded.task_id, &titles(&expanded.tasks));
            if let Some(parent) = find(&mut tasks.specs, &expanded.task_id) {
                parent.tasks.clone_from(&expanded.tasks);
                parent.decomp = Some(expanded.decomp);
                tasks.count = size(&tasks.specs);
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

/// Tasks that were not done, open or skipped, and are not among `kept`, titles by id: under
/// another title an id is another task.
fn dropped(tasks: &Tasks, kept: &BTreeMap<&str, &str>, reason: Option<&str>) -> Vec<Removed> {
    let standing = Standing::of(tasks);
    let open = stack(tasks, &standing).into_iter();
    let open = open.map(|frame| (frame.task, reason.map(str::to_owned)));
    let skipped = tasks.flat().into_iter().filter_map(|(_, task)| {
        let mark = tasks.mark(&task.id);
        (mark.status == TaskStatus::Skipped).then_some((task, mark.reason))
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

/// Lets go of the tasks below this one that are not among `kept`.
fn forget_below(tasks: &mut Tasks, id: &str, kept: &BTreeMap<&str, &str>) {
    let Some(parent) = tasks.find(id) else {
        return;
    };
    let below = titles(&parent.tasks);
    let mut stay = titles(&tasks.specs);
    stay.retain(|id, title| !below.contains_key(id) || kept.get(id) == Some(title));
    let removed = dropped(tasks, &stay, None);
    let gone: BTreeSet<String> = below
        .into_keys()
        .filter(|id| !kept.contains_key(id))
        .map(str::to_owned)
        .collect();
    tasks.removed.extend(removed);
    tasks.marks.retain(|id, _| !gone.contains(id));
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

/// How many tasks these are, with all below them.
fn size(specs: &[TaskSpec]) -> u64 {
    specs.iter().map(|spec| 1 + size(&spec.tasks)).sum()
}

fn find<'a>(specs: &'a mut [TaskSpec], id: &str) -> Option<&'a mut TaskSpec> {
    for spec in specs {
        if spec.id == id {
            return Some(spec);
        }
        if let Some(found) = find(&mut spec.tasks, id) {
            return Some(found);
        }
    }
    None
}

fn replace(specs: &mut [TaskSpec], new: &TaskSpec) {
    if let Some(old) = find(specs, &new.id) {
        *old = new.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(tasks: &mut Tasks, payload: &Payload) {
        super::apply(tasks, payload, "t");
    }

    fn event(name: &str, fields: &str) -> Payload {
        Payload::decode(name, fields).unwrap()
    }

    fn list(tasks: &str) -> Payload {
        let fields = format!(r#"{{"taskCount":9,"blockCompletion":true{tasks}}}"#);
        event("task_list_set", &fields)
    }

    fn did(tasks: &mut Tasks, what: &str, id: &str) {
        apply(tasks, &event(what, &format!(r#"{{"taskId":"{id}"}}"#)));
    }

    fn two() -> Tasks {
        let mut tasks = Tasks::default();
        let tree = r#","tasks":[{"id":"1","title":"one","tasks":[{"id":"1.1","title":"in it"}]},{"id":"2","title":"two"}]"#;
        apply(&mut tasks, &list(tree));
        tasks
    }

    fn shown(tasks: &Tasks) -> Vec<(usize, &str)> {
        let flat = tasks.flat();
        flat.into_iter()
            .map(|(depth, task)| (depth, task.id.as_str()))
            .collect()
    }

    #[test]
    fn a_tree_counts_all_its_tasks() {
        let mut tasks = two();
        assert_eq!(shown(&tasks), [(0, "1"), (1, "1.1"), (0, "2")]);
        assert_eq!(tasks.open(), 3);
        did(&mut tasks, "task_failed", "1.1");
        did(&mut tasks, "task_skipped", "2");
        assert_eq!(
            tasks.open(),
            2,
            "a task that failed once is still open, and so is its parent"
        );
        did(&mut tasks, "task_complete", "1.1");
        assert_eq!(tasks.open(), 0);
    }

    #[test]
    fn only_a_reopening_takes_a_completion_back() {
        let mut tasks = two();
        did(&mut tasks, "task_complete", "1");
        for late in ["task_started", "task_failed", "task_blocked"] {
            did(&mut tasks, late, "1");
            assert_eq!(tasks.mark("1").status, TaskStatus::Complete, "{late}");
        }
        did(&mut tasks, "task_reopened", "1");
        assert_eq!(tasks.mark("1").status, TaskStatus::Pending);
        did(&mut tasks, "task_started", "1");
        assert_eq!(tasks.mark("1").status, TaskStatus::Active);
        did(&mut tasks, "task_blocked", "1");
        assert_eq!(tasks.mark("1").status, TaskStatus::Blocked);
    }

    #[test]
    fn a_new_tree_keeps_what_became_of_the_ids_that_stay() {
        let mut tasks = two();
        did(&mut tasks, "task_complete", "1");
        did(&mut tasks, "task_complete", "2");
        apply(
            &mut tasks,
            &list(r#","tasks":[{"id":"2","title":"two"},{"id":"3","title":"three"}]"#),
        );
        assert_eq!(tasks.open(), 1);
        apply(&mut tasks, &list(r#","tasks":[{"id":"1","title":"one"}]"#));
        assert_eq!(
            tasks.mark("1").status,
            TaskStatus::Pending,
            "1 was gone in between"
        );
    }

    #[test]
    fn a_list_without_a_tree_counts_and_keeps_all_ids() {
        let mut tasks = two();
        did(&mut tasks, "task_complete", "2");
        apply(&mut tasks, &list(""));
        assert!(
            tasks.specs.is_empty(),
            "the tree is in the other tool's document now"
        );
        assert_eq!((tasks.count, tasks.open()), (9, 8));
        let removed: Vec<&str> = tasks.removed.iter().map(|it| &*it.id).collect();
        assert_eq!(removed, ["1.1", "1"], "ours were not done");
    }

    #[test]
    fn tasks_are_added_redefined_and_expanded() {
        let mut tasks = two();
        apply(
            &mut tasks,
            &event("task_added", r#"{"tasks":[{"id":"3","title":"three"}]}"#),
        );
        let redefined = r#"{"tasks":[{"id":"1.1","title":"renamed"},{"id":"no","title":"such"}]}"#;
        apply(&mut tasks, &event("task_updated", redefined));
        let expanded = |id: &str| {
            let fields = r#""tasks":[{"id":"2.1","title":"half"}],"decomp":"AND","source":"s""#;
            event("task_expanded", &format!(r#"{{"taskId":"{id}",{fields}}}"#))
        };
        apply(&mut tasks, &expanded("no"));
        assert_eq!(tasks.count, 4);
        apply(&mut tasks, &expanded("2"));
        let expected = [(0, "1"), (1, "1.1"), (0, "2"), (1, "2.1"), (0, "3")];
        assert_eq!(shown(&tasks), expected);
        assert_eq!(tasks.specs[0].tasks[0].title, "renamed");
        assert_eq!(tasks.count, 5);
    }
}
