//! How task events change a goal's tasks. Structure only, never policy.

use crate::domain::event::Payload;
use crate::domain::task::events::TaskSpec;
use crate::domain::task::state::{TaskStatus, Tasks};

/// What an event meant for a goal's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The definition changed, and with it the goal's revision.
    Definition,
    /// Anything else, or nothing.
    Other,
}

/// Applies an event; those that are not about tasks change nothing.
pub fn apply(tasks: &mut Tasks, payload: &Payload) -> Change {
    match payload {
        Payload::TaskListSet(set) => {
            tasks.count = set.task_count;
            tasks.block_completion = set.block_completion;
            // A list of another writer stands in its document: what was defined before is over,
            // what became of ids stays, to be matched with the ids there (DESIGN §3.4).
            tasks.specs = set.tasks.clone().unwrap_or_default();
            if set.tasks.is_some() {
                let known = ids(&tasks.specs);
                tasks.status.retain(|id, _| known.contains(id));
            }
            Change::Definition
        }
        Payload::TaskAdded(added) => {
            tasks.specs.extend(added.tasks.iter().cloned());
            tasks.count = ids(&tasks.specs).len() as u64;
            Change::Definition
        }
        Payload::TaskUpdated(updated) => {
            updated
                .tasks
                .iter()
                .for_each(|spec| replace(&mut tasks.specs, spec));
            if !tasks.specs.is_empty() {
                tasks.count = ids(&tasks.specs).len() as u64;
            }
            Change::Definition
        }
        Payload::TaskExpanded(expanded) => {
            if let Some(parent) = find(&mut tasks.specs, &expanded.task_id) {
                parent.tasks.clone_from(&expanded.tasks);
                parent.decomp = Some(expanded.decomp);
                tasks.count = ids(&tasks.specs).len() as u64;
            }
            Change::Definition
        }
        Payload::TaskStarted(task) => mark(tasks, &task.task_id, TaskStatus::Active),
        Payload::TaskComplete(task) => mark(tasks, &task.task_id, TaskStatus::Complete),
        Payload::TaskSkipped(task) => mark(tasks, &task.task_id, TaskStatus::Skipped),
        Payload::TaskFailed(task) => mark(tasks, &task.task_id, TaskStatus::Failed),
        Payload::TaskBlocked(task) => mark(tasks, &task.task_id, TaskStatus::Blocked),
        Payload::TaskReopened(task) => mark(tasks, &task.task_id, TaskStatus::Pending),
        _ => Change::Other,
    }
}

fn mark(tasks: &mut Tasks, id: &str, status: TaskStatus) -> Change {
    // A late start or failure does not take a completion back; only a reopening does.
    let late = matches!(
        status,
        TaskStatus::Active | TaskStatus::Failed | TaskStatus::Blocked
    );
    if !late || tasks.status_of(id).is_open() {
        tasks.status.insert(id.to_owned(), status);
    }
    Change::Other
}

fn ids(specs: &[TaskSpec]) -> Vec<String> {
    specs
        .iter()
        .flat_map(|spec| [vec![spec.id.clone()], ids(&spec.tasks)].concat())
        .collect()
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

    fn event(name: &str, fields: &str) -> Payload {
        Payload::decode(name, fields).unwrap()
    }

    fn list(tasks: &str) -> Payload {
        let fields = format!(r#"{{"taskCount":9,"blockCompletion":true{tasks}}}"#);
        event("task_list_set", &fields)
    }

    fn did(tasks: &mut Tasks, what: &str, id: &str) {
        let change = apply(tasks, &event(what, &format!(r#"{{"taskId":"{id}"}}"#)));
        assert_eq!(change, Change::Other, "{what} defines nothing");
    }

    fn two() -> Tasks {
        let mut tasks = Tasks::default();
        let tree = r#","tasks":[{"id":"1","title":"one","tasks":[{"id":"1.1","title":"in it"}]},{"id":"2","title":"two"}]"#;
        assert_eq!(apply(&mut tasks, &list(tree)), Change::Definition);
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
        did(&mut tasks, "task_complete", "1.1");
        did(&mut tasks, "task_skipped", "2");
        did(&mut tasks, "task_failed", "1");
        assert_eq!(tasks.open(), 1, "a failed task is still open");
    }

    #[test]
    fn only_a_reopening_takes_a_completion_back() {
        let mut tasks = two();
        did(&mut tasks, "task_complete", "1");
        for late in ["task_started", "task_failed", "task_blocked"] {
            did(&mut tasks, late, "1");
            assert_eq!(tasks.status_of("1"), TaskStatus::Complete, "{late}");
        }
        did(&mut tasks, "task_reopened", "1");
        assert_eq!(tasks.status_of("1"), TaskStatus::Pending);
        did(&mut tasks, "task_started", "1");
        assert_eq!(tasks.status_of("1"), TaskStatus::Active);
        did(&mut tasks, "task_blocked", "1");
        assert_eq!(tasks.status_of("1"), TaskStatus::Blocked);
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
            tasks.status_of("1"),
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
        assert_eq!(apply(&mut tasks, &expanded("2")), Change::Definition);
        let expected = [(0, "1"), (1, "1.1"), (0, "2"), (1, "2.1"), (0, "3")];
        assert_eq!(shown(&tasks), expected);
        assert_eq!(tasks.specs[0].tasks[0].title, "renamed");
        assert_eq!(tasks.count, 5);
    }
}
