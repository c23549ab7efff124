//! The table, and random trees against an oracle that knows nothing of recursion.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

use super::*;
use crate::domain::event::Payload;
use crate::domain::task::evidence::EvidenceItem;
use TaskStatus::{Active, Blocked, Complete, Failed, Pending, Skipped};

fn tasks(tree: serde_json::Value) -> Tasks {
    let mut tasks = Tasks::default();
    let set = json!({ "taskCount": 0, "blockCompletion": true, "tasks": tree });
    tasks = tasks.after(&[Payload::decode("task_list_set", &set.to_string()).unwrap()]);
    tasks
}

fn said(tasks: &mut Tasks, events: &[(&str, &str)]) {
    for (name, id) in events {
        let fields = json!({ "taskId": id, "reason": "r" }).to_string();
        *tasks = tasks.after(&[Payload::decode(name, &fields).unwrap()]);
    }
}

fn evidence(tasks: &mut Tasks, task: &str, key: &str) {
    let fields = json!({ "taskId": task, "key": key, "value": 1 }).to_string();
    *tasks = tasks.after(&[Payload::decode("evidence_added", &fields).unwrap()]);
}

fn of_two(decomp: &str) -> Tasks {
    let leaf = |id: &str| json!({ "id": id, "title": id, "maxAttempts": 1 });
    tasks(json!([{ "id": "p", "title": "p", "decomp": decomp, "tasks": [leaf("a"), leaf("b")] }]))
}

#[track_caller]
fn parent(decomp: &str, events: &[(&str, &str)], expected: TaskStatus) -> TaskStatuses {
    let mut tasks = of_two(decomp);
    said(&mut tasks, events);
    let standing = TaskStatuses::of(&tasks);
    assert_eq!(standing.status("p"), expected, "{decomp} {events:?}");
    standing
}

const A_DONE: (&str, &str) = ("task_complete", "a");
const B_DONE: (&str, &str) = ("task_complete", "b");
const A_SKIPPED: (&str, &str) = ("task_skipped", "a");
const B_SKIPPED: (&str, &str) = ("task_skipped", "b");
const A_FAILED: (&str, &str) = ("task_failed", "a");
const B_FAILED: (&str, &str) = ("task_failed", "b");
const A_BLOCKED: (&str, &str) = ("task_blocked", "a");

#[test]
fn of_tasks_joined_by_and() {
    parent("AND", &[], Pending);
    parent("AND", &[("task_started", "a")], Active);
    parent("AND", &[A_DONE], Active);
    parent("AND", &[A_DONE, B_DONE], Complete);
    parent("AND", &[A_SKIPPED, B_DONE], Complete);
    parent("AND", &[A_SKIPPED, B_SKIPPED], Complete);
    parent("AND", &[A_FAILED], Blocked);
    parent("AND", &[A_BLOCKED], Blocked);
    parent("AND", &[A_FAILED, ("task_reopened", "a")], Pending);
}

#[test]
fn of_tasks_joined_by_or() {
    parent("OR", &[], Pending);
    parent("OR", &[A_FAILED], Active);
    let standing = parent("OR", &[A_FAILED, B_DONE], Complete);
    assert_eq!(standing.status("a"), Failed, "history stands");
    let standing = parent("OR", &[A_DONE], Complete);
    assert_eq!(standing.status("b"), Skipped, "moot");
    parent("OR", &[A_SKIPPED, B_SKIPPED], Skipped);
    parent("OR", &[A_FAILED, B_FAILED], Failed);
    parent("OR", &[A_FAILED, B_SKIPPED], Failed);
    parent("OR", &[A_BLOCKED, B_FAILED], Blocked);
    parent("OR", &[A_BLOCKED], Active);
}

#[test]
fn conditions_complete_and_hold_up() {
    let condition = json!([{ "kind": "hasEvidence", "key": "k" }]);
    let mut leaf = tasks(json!([{ "id": "a", "title": "a", "doneWhen": condition }]));
    said(&mut leaf, &[A_DONE]);
    assert_eq!(
        TaskStatuses::of(&leaf).status("a"),
        Active,
        "whoever says so"
    );
    evidence(&mut leaf, "a", "k");
    assert_eq!(TaskStatuses::of(&leaf).status("a"), Complete);
    said(&mut leaf, &[("task_reopened", "a")]);
    assert_eq!(TaskStatuses::of(&leaf).status("a"), Pending);

    let child = json!({ "id": "b", "title": "b" });
    let mut parent = tasks(json!([
        { "id": "a", "title": "a", "doneWhen": condition, "tasks": [child] }
    ]));
    said(&mut parent, &[B_DONE]);
    assert_eq!(
        TaskStatuses::of(&parent).status("a"),
        Active,
        "its own condition is unproved"
    );
    evidence(&mut parent, "a", "k");
    assert_eq!(TaskStatuses::of(&parent).status("a"), Complete);
    said(&mut parent, &[("task_reopened", "b")]);
    let standing = TaskStatuses::of(&parent);
    assert_eq!(
        (standing.status("a"), standing.status("b")),
        (Complete, Skipped),
        "moot"
    );

    let stored_code = json!([{ "kind": "js", "code": "true" }]);
    let mut code = tasks(json!([{ "id": "a", "title": "a", "doneWhen": stored_code }]));
    said(&mut code, &[A_DONE]);
    assert_eq!(
        TaskStatuses::of(&code).status("a"),
        Active,
        "it never holds"
    );
}

#[test]
fn attempts_are_failures_and_not_starts() {
    let mut tasks = tasks(json!([{ "id": "a", "title": "a" }]));
    said(
        &mut tasks,
        &[
            ("task_started", "a"),
            ("task_started", "a"),
            A_FAILED,
            A_FAILED,
        ],
    );
    assert_eq!(TaskStatuses::of(&tasks).status("a"), Pending);
    said(&mut tasks, &[A_FAILED]);
    assert_eq!(TaskStatuses::of(&tasks).status("a"), Failed);
    said(&mut tasks, &[("task_reopened", "a")]);
    assert_eq!(
        (
            TaskStatuses::of(&tasks).status("a"),
            tasks.mark("a").attempts
        ),
        (Pending, 0)
    );
}

#[test]
fn a_goal_is_ready_when_its_top_level_is_done() {
    let whole = |tree, events: &[(&str, &str)]| {
        let mut tasks = tasks(tree);
        said(&mut tasks, events);
        TaskStatuses::of(&tasks).whole()
    };
    let two = || json!([{ "id": "a", "title": "a" }, { "id": "b", "title": "b" }]);
    assert_eq!(whole(json!([]), &[]), Whole::None);
    assert_eq!(whole(two(), &[A_DONE]), Whole::Open);
    assert_eq!(whole(two(), &[A_DONE, B_SKIPPED]), Whole::Ready);
    assert_eq!(
        whole(two(), &[A_DONE, B_FAILED, B_FAILED, B_FAILED]),
        Whole::Open
    );
}

/// A tree as a table: each task's parent, and what it is.
#[derive(Debug, Clone)]
struct Row {
    parent: Option<usize>,
    or: bool,
    key: Option<u8>,
    contract: bool,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (
        any::<Index>(),
        any::<bool>(),
        prop::option::weighted(0.3, 0..3u8),
        prop::bool::weighted(0.2),
    );
    prop::collection::vec(row, 1..9).prop_map(|rows| {
        let rows = rows.into_iter().enumerate();
        let of = rows.map(|(at, (parent, or, key, contract))| Row {
            // One in so many stands at the top level.
            parent: Some(parent.index(at + 1)).filter(|parent| *parent < at),
            or,
            key,
            contract,
        });
        of.collect()
    })
}

fn tree(rows: &[Row], parent: Option<usize>) -> serde_json::Value {
    let children = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.parent == parent);
    let children = children.map(|(at, row)| {
        let keys: Vec<_> = row.key.iter().collect();
        let conditions = keys
            .iter()
            .map(|key| json!({ "kind": "hasEvidence", "key": key.to_string() }));
        json!({
            "id": at.to_string(),
            "title": "t",
            "maxAttempts": 2,
            "verificationContract": row.contract.then_some("v"),
            "decomp": if row.or { "OR" } else { "AND" },
            "doneWhen": conditions.collect::<Vec<_>>(),
            "tasks": tree(rows, Some(at)),
        })
    });
    children.collect::<Vec<_>>().into()
}

/// The same rules, as sweeps over a flat table until nothing changes any more.
fn oracle(rows: &[Row], tasks: &Tasks) -> Vec<TaskStatus> {
    let children = |at: usize| (0..rows.len()).filter(move |child| rows[*child].parent == Some(at));
    let mut status = vec![Pending; rows.len()];
    // Upwards: children have higher numbers than their parents.
    for at in (0..rows.len()).rev() {
        let mark = tasks.mark(&at.to_string());
        let all: Vec<&EvidenceItem> = tasks.evidence.all().collect();
        let own = |given: &&EvidenceItem| given.task_id.as_deref() == Some(&*at.to_string());
        let proved = !rows[at].contract || all.iter().any(own);
        let met = rows[at]
            .key
            .map(|key| proved && all.iter().any(|given| given.key == key.to_string().into()));
        let of: Vec<TaskStatus> = children(at).map(|child| status[child]).collect();
        let done = of
            .iter()
            .filter(|it| matches!(it, Complete | Skipped))
            .count();
        let count = |wanted| of.iter().filter(|it| **it == wanted).count();
        status[at] = if mark.status == Skipped {
            Skipped
        } else if met == Some(true) || (mark.status == Complete && met.is_none()) {
            Complete
        } else if mark.attempts >= 2 {
            Failed
        } else if mark.status == Blocked {
            Blocked
        } else if !of.is_empty() && !rows[at].or && done == of.len()
            || rows[at].or && count(Complete) > 0
        {
            if met == Some(false) || !proved {
                Active
            } else {
                Complete
            }
        } else if !of.is_empty() && !rows[at].or && count(Failed) + count(Blocked) > 0 {
            Blocked
        } else if !of.is_empty() && rows[at].or && count(Skipped) == of.len() {
            Skipped
        } else if !of.is_empty() && rows[at].or && count(Skipped) + count(Failed) == of.len() {
            Failed
        } else if !of.is_empty()
            && rows[at].or
            && count(Skipped) + count(Failed) + count(Blocked) == of.len()
        {
            Blocked
        } else if matches!(mark.status, Active | Complete) || of.iter().any(|it| *it != Pending) {
            Active
        } else {
            Pending
        };
    }
    // Downwards.
    let tops: Vec<usize> = (0..rows.len())
        .filter(|at| rows[*at].parent.is_none())
        .collect();
    let ready = tops
        .iter()
        .all(|at| matches!(status[*at], Complete | Skipped));
    for at in 0..rows.len() {
        let moot = match rows[at].parent {
            Some(parent) => {
                matches!(status[parent], Complete | Skipped) || is_moot(rows, &status, parent)
            }
            None => ready,
        };
        if moot && matches!(status[at], Pending | Active | Blocked) {
            status[at] = Skipped;
        }
    }
    status
}

/// Whether something above is done, past a failed task in between.
fn is_moot(rows: &[Row], status: &[TaskStatus], at: usize) -> bool {
    match rows[at].parent {
        Some(parent) => {
            matches!(status[parent], Complete | Skipped) || is_moot(rows, status, parent)
        }
        None => false,
    }
}

const EVENTS: [&str; 6] = [
    "task_started",
    "task_complete",
    "task_skipped",
    "task_failed",
    "task_blocked",
    "task_reopened",
];

proptest! {
    #[test]
    fn random_trees_stand_as_the_oracle_says(
        rows in rows(),
        events in prop::collection::vec((0..8usize, any::<Index>(), 0..3u8), 0..20),
    ) {
        let mut tasks = tasks(tree(&rows, None));
        for (which, at, key) in events {
            let id = at.index(rows.len()).to_string();
            match EVENTS.get(which) {
                Some(name) => said(&mut tasks, &[(name, &id)]),
                None => evidence(&mut tasks, &id, &key.to_string()),
            }
            let standing = TaskStatuses::of(&tasks);
            let found: Vec<TaskStatus> =
                (0..rows.len()).map(|at| standing.status(&at.to_string())).collect();
            prop_assert_eq!(&found, &oracle(&rows, &tasks));
            // No task is complete without the evidence that its conditions name, by any path.
            for (at, row) in rows.iter().enumerate() {
                let lacks = row.key.is_some_and(|key| {
                    !tasks.evidence.all().any(|given| given.key == key.to_string().into())
                });
                prop_assert!(!(lacks && found[at] == Complete), "{}", at);
            }
        }
    }
}
