//! The stack and the next step, by example and against a naive oracle.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::event::Payload;

pub(super) fn tasks(tree: serde_json::Value, decomp: &str) -> Tasks {
    let mut tasks = Tasks::default();
    let set = json!({ "taskCount": 0, "blockCompletion": true, "tasks": tree, "decomp": decomp });
    tasks = tasks.after(&[Payload::decode("task_list_set", &set.to_string()).unwrap()]);
    tasks
}

pub(super) fn said(tasks: &mut Tasks, name: &str, id: &str) {
    let fields = json!({ "taskId": id, "reason": "r", "key": id, "value": 1 }).to_string();
    *tasks = tasks.after(&[Payload::decode(name, &fields).unwrap()]);
}

pub(super) fn shown(tasks: &Tasks) -> Vec<&str> {
    let frames = stack(tasks, &TaskStatuses::of(tasks));
    frames.iter().map(|frame| frame.task.id.as_str()).collect()
}

pub(super) fn step_of(tasks: &Tasks) -> String {
    match next(tasks, &TaskStatuses::of(tasks)) {
        Step::NoTasks => "no tasks".into(),
        Step::Work(task) => format!("work {}", task.id),
        Step::Plan(task) => format!("plan {}", task.id),
        Step::Prove(task, missing) => format!("prove {}: {}", task.id, missing[0]),
        Step::Stuck(task) => format!("stuck {}", task.id),
        Step::Ready => "ready".into(),
    }
}

fn booking() -> Tasks {
    let leaf = |id: &str| json!({ "id": id, "title": id });
    let book = json!({
        "id": "book", "title": "book", "tasks": [leaf("origin"), leaf("date"), leaf("search")],
        "doneWhen": [{ "kind": "hasEvidence", "key": "book" }],
    });
    let later = json!({ "id": "later", "title": "later", "pred": { "name": "composite" } });
    tasks(json!([book, later]), "AND")
}

#[test]
fn the_first_child_is_on_top_and_parents_wait_below() {
    let mut tasks = booking();
    assert_eq!(shown(&tasks), ["origin", "date", "search", "book", "later"]);
    let standing = TaskStatuses::of(&tasks);
    let frames = stack(&tasks, &standing);
    let waiting: Vec<bool> = frames.iter().map(|frame| frame.waits).collect();
    assert_eq!(waiting, [false, false, false, true, false]);
    assert_eq!(frames[0].depth, 1);
    assert_eq!(step_of(&tasks), "work origin");
    said(&mut tasks, "task_complete", "origin");
    said(&mut tasks, "task_skipped", "date");
    assert_eq!(shown(&tasks), ["search", "book", "later"]);
    said(&mut tasks, "task_complete", "search");
    assert_eq!(step_of(&tasks), "prove book: there is no evidence `book`");
    said(&mut tasks, "evidence_added", "book");
    assert_eq!(step_of(&tasks), "plan later");
    said(&mut tasks, "task_complete", "later");
    assert_eq!(
        (step_of(&tasks).as_str(), shown(&tasks).len()),
        ("ready", 0)
    );
    assert_eq!(step_of(&Tasks::default()), "no tasks");
}

#[test]
fn what_is_in_the_way_stops_an_order_and_not_alternatives() {
    let leaf = |id: &str| json!({ "id": id, "title": id, "maxAttempts": 1 });
    let three = || json!([leaf("a"), leaf("b"), leaf("c")]);
    let mut ordered = tasks(three(), "AND");
    said(&mut ordered, "task_blocked", "a");
    assert_eq!(step_of(&ordered), "stuck a");
    said(&mut ordered, "task_reopened", "a");
    said(&mut ordered, "task_failed", "a");
    assert_eq!(step_of(&ordered), "stuck a");

    let mut any = tasks(three(), "OR");
    said(&mut any, "task_failed", "a");
    assert_eq!(step_of(&any), "work b");
    said(&mut any, "task_blocked", "b");
    assert_eq!(step_of(&any), "work c");
    said(&mut any, "task_failed", "c");
    assert_eq!(step_of(&any), "stuck a");
    said(&mut any, "task_reopened", "b");
    said(&mut any, "task_complete", "b");
    assert_eq!((step_of(&any).as_str(), any.open()), ("ready", 0));
}

#[test]
fn a_parent_with_a_failed_alternative_still_says_what_it_lacks() {
    let leaf = |id: &str| json!({ "id": id, "title": id, "maxAttempts": 1 });
    let parent = json!({
        "id": "p", "title": "p", "decomp": "OR", "tasks": [leaf("a"), leaf("b")],
        "doneWhen": [{ "kind": "hasEvidence", "key": "k" }],
    });
    let mut tasks = tasks(json!([parent]), "AND");
    said(&mut tasks, "task_failed", "a");
    said(&mut tasks, "task_complete", "b");
    assert_eq!(step_of(&tasks), "prove p: there is no evidence `k`");
}

/// Pushes what is open, and pops it, as one would with a real stack.
fn oracle(tasks: &Tasks) -> Vec<String> {
    let standing = TaskStatuses::of(tasks);
    if standing.whole() == Whole::Ready {
        return Vec::new();
    }
    let open = |task: &TaskSpec| standing.status(&task.id).is_open();
    let mut popped = Vec::new();
    let mut stack: Vec<(&TaskSpec, bool)> = Vec::new();
    stack.extend(
        tasks
            .specs
            .iter()
            .rev()
            .filter(|task| open(task))
            .map(|task| (task, false)),
    );
    while let Some((task, expanded)) = stack.pop() {
        if expanded {
            popped.push(task.id.clone());
            continue;
        }
        stack.push((task, true));
        stack.extend(
            task.tasks
                .iter()
                .rev()
                .filter(|task| open(task))
                .map(|task| (task, false)),
        );
    }
    popped
}

fn tree() -> impl Strategy<Value = serde_json::Value> {
    let leaf = Just(json!([])).boxed();
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop::collection::vec((inner, any::<bool>()), 0..4)
            .prop_map(|children| {
                let child = |(tasks, or)| {
                    let decomp = if or { "OR" } else { "AND" };
                    json!({ "id": "", "title": "t", "maxAttempts": 1, "decomp": decomp, "tasks": tasks })
                };
                children.into_iter().map(child).collect::<Vec<_>>().into()
            })
            .boxed()
    })
}

fn number(tree: &mut serde_json::Value, count: &mut usize) {
    for task in tree.as_array_mut().unwrap() {
        task["id"] = count.to_string().into();
        *count += 1;
        number(&mut task["tasks"], count);
    }
}

proptest! {
    #[test]
    fn the_stack_is_that_of_the_oracle_and_the_step_is_on_it(
        mut tree in tree(),
        or in any::<bool>(),
        events in prop::collection::vec((0..4usize, 0..12usize), 0..12),
    ) {
        let mut count = 0;
        number(&mut tree, &mut count);
        let mut tasks = tasks(tree, if or { "OR" } else { "AND" });
        for (which, id) in events {
            let name = ["task_complete", "task_skipped", "task_failed", "task_blocked"][which];
            said(&mut tasks, name, &id.to_string());
            let standing = TaskStatuses::of(&tasks);
            let found = shown(&tasks);
            prop_assert_eq!(&found, &oracle(&tasks));
            match next(&tasks, &standing) {
                Step::Work(task) | Step::Plan(task) | Step::Prove(task, _) | Step::Stuck(task) => {
                    prop_assert!(found.contains(&task.id.as_str()));
                }
                Step::Ready | Step::NoTasks => prop_assert!(found.is_empty()),
            }
        }
    }
}
