//! What task events leave: cases, and random ones against looking at every task.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::event::Payload;
use crate::domain::task::done::TasksDone;
use crate::domain::task::state::DEEPEST;
use crate::domain::task::statuses::TaskStatuses;

fn apply(tasks: &mut Tasks, payload: &Payload) {
    *tasks = tasks.after(std::slice::from_ref(payload));
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
fn a_tree_counts_the_tasks_without_parts() {
    let mut tasks = two();
    assert_eq!(shown(&tasks), [(0, "1"), (1, "1.1"), (0, "2")]);
    assert_eq!(tasks.open(), 2);
    did(&mut tasks, "task_failed", "1.1");
    did(&mut tasks, "task_skipped", "2");
    assert_eq!(tasks.open(), 1, "a task that failed once is still open");
    did(&mut tasks, "task_complete", "1.1");
    assert_eq!(tasks.open(), 0);
}

#[test]
fn what_is_left_and_what_is_over_is_counted_as_it_stands() {
    let counted = |tree: &str, done: &[(&str, &str)]| {
        let mut tasks = Tasks::default();
        apply(&mut tasks, &list(tree));
        for (kind, id) in done {
            did(&mut tasks, kind, id);
        }
        let counted = TasksDone::of(&tasks, &TaskStatuses::of(&tasks));
        (counted.done, counted.all)
    };
    let proof = r#","tasks":[{"id":"1","title":"one","doneWhen":[{"kind":"hasEvidence","key":"k"}],
        "tasks":[{"id":"1.1","title":"in it"}]}]"#;
    assert_eq!(counted(proof, &[]), (0, 1));
    let done = [("task_complete", "1.1")];
    assert_eq!(counted(proof, &done), (1, 2), "its own proof is left to do");
    let ways =
        r#","decomp":"OR","tasks":[{"id":"1","title":"a","maxAttempts":1},{"id":"2","title":"b"}]"#;
    let done = [("task_failed", "1"), ("task_complete", "2")];
    assert_eq!(counted(ways, &done), (2, 2), "one way is enough");
}

#[test]
fn a_title_with_other_space_around_it_is_the_same_task() {
    let mut tasks = two();
    did(&mut tasks, "task_skipped", "2");
    let again = r#","tasks":[{"id":"1","title":" one "},{"id":"2","title":"two "}]"#;
    apply(&mut tasks, &list(again));
    let removed: Vec<&str> = tasks.removed.iter().map(|it| &*it.id).collect();
    assert_eq!(removed, ["1.1"]);
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

/// Whichever event says so, and however long nothing had the id.
#[test]
fn an_id_under_another_title_is_another_task() {
    let evidence = event("evidence_added", r#"{"taskId":"2","key":"k","value":1}"#);
    let question = r#"{"taskId":"2","questionId":"q","kind":"info","question":"?"}"#;
    let asked = event("question_asked", question);
    let of = |id: &str, title: &str| format!(r#"{{"id":"{id}","title":"{title}"}}"#);
    let below = |title: &str| {
        let rest = r#""decomp":"AND","source":"s""#;
        let fields = format!(r#"{{"taskId":"1","tasks":[{}],{rest}}}"#, of("2", title));
        event("task_expanded", &fields)
    };
    let set = |tasks: String| list(&format!(r#","tasks":[{tasks}]"#));
    let tasks_of =
        |name: &str, title: &str| event(name, &format!(r#"{{"tasks":[{}]}}"#, of("2", title)));
    type Ways = Vec<Vec<Payload>>;
    let ways = |title: &str| -> Ways {
        let one = of("1", "one");
        vec![
            vec![set(format!("{one},{}", of("2", title)))],
            vec![set(one.clone()), tasks_of("task_added", title)],
            vec![set(one.clone()), below(title)],
            vec![list(""), set(of("2", title))],
            vec![tasks_of("task_updated", title)],
        ]
    };
    for (title, stays) in [("two", true), (" two ", true), ("another", false)] {
        for way in ways(title) {
            let mut tasks = two();
            for payload in [&evidence, &asked].into_iter().chain(&way) {
                apply(&mut tasks, payload);
            }
            let given = tasks.evidence.given_to("2").count();
            assert_eq!(given, usize::from(stays), "{title}: {way:?}");
            let asked = tasks.questions.all().len();
            assert_eq!(asked, usize::from(stays), "{title}: {way:?}");
            assert_eq!(tasks.evidence.all().count(), 1, "it is the goal's");
        }
    }
    let mut tasks = two();
    did(&mut tasks, "task_complete", "2");
    apply(&mut tasks, &tasks_of("task_updated", "another"));
    assert_eq!(tasks.mark("2").status, TaskStatus::Pending);
    let confirm = r#"{"tasks":[{"id":"2","title":"another","pred":{"name":"confirm"}}]}"#;
    did(&mut tasks, "task_complete", "2");
    apply(&mut tasks, &event("task_updated", confirm));
    assert_eq!(tasks.mark("2").status, TaskStatus::Pending);
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

/// A chain of expansions, each below the task that the one before brought.
#[test]
fn a_chain_of_expansions_ends_at_the_deepest_level() {
    let mut tasks = Tasks::default();
    apply(&mut tasks, &list(r#","tasks":[{"id":"0","title":"t"}]"#));
    for number in 0..300 {
        let below = format!(r#"{{"id":"{}","title":"t"}}"#, number + 1);
        let fields =
            format!(r#"{{"taskId":"{number}","tasks":[{below}],"decomp":"AND","source":"s"}}"#);
        apply(&mut tasks, &event("task_expanded", &fields));
    }
    let flat = tasks.flat();
    assert_eq!((flat.len(), tasks.count), (DEEPEST, DEEPEST as u64));
    assert_eq!(flat.last().unwrap().0, DEEPEST - 1);
    assert!(
        tasks.open() > 0,
        "what was not taken is still to be planned"
    );
    let deeper = json!({ "tasks": [{ "id": "49", "title": "t",
        "tasks": [{ "id": "x", "title": "t", "tasks": [{ "id": "y", "title": "t" }] }] }] });
    apply(&mut tasks, &event("task_updated", &deeper.to_string()));
    assert_eq!(tasks.count, DEEPEST as u64);
}

/// Tasks that come to stand side by side or below each other; ids may stand twice.
fn trees() -> impl Strategy<Value = Vec<Value>> {
    let leaf = (0..6_u8).prop_map(|id| json!({ "id": id.to_string(), "title": "t" }));
    let tree = leaf.prop_recursive(3, 8, 3, |below| {
        (0..6_u8, prop::collection::vec(below, 0..3))
            .prop_map(|(id, tasks)| json!({ "id": id.to_string(), "title": "t", "tasks": tasks }))
    });
    prop::collection::vec(tree, 0..3)
}

fn change() -> impl Strategy<Value = (&'static str, Value)> {
    prop_oneof![
        1 => trees().prop_map(|tasks| {
            ("task_list_set", json!({ "taskCount": 1, "blockCompletion": true, "tasks": tasks }))
        }),
        2 => trees().prop_map(|tasks| ("task_added", json!({ "tasks": tasks }))),
        2 => trees().prop_map(|tasks| ("task_updated", json!({ "tasks": tasks }))),
        3 => (0..6_u8, trees()).prop_map(|(id, tasks)| {
            let id = id.to_string();
            ("task_expanded",
             json!({ "taskId": id, "tasks": tasks, "decomp": "AND", "source": "s" }))
        }),
    ]
}

/// A tree without an id that stands twice, and what was said of its tasks.
fn told() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let tree = prop::collection::vec((any::<bool>(), 0..4_usize), 1..5).prop_map(|tops| {
        let top = |(at, (or, below)): (usize, (bool, usize))| {
            let child = |child: usize| {
                json!({ "id": format!("{at}.{child}"), "title": "t",
                "tasks": [{ "id": format!("{at}.{child}.0"), "title": "t" }] })
            };
            let decomp = if or { "OR" } else { "AND" };
            json!({ "id": at.to_string(), "title": "t", "decomp": decomp,
                "tasks": (0..below).map(child).collect::<Vec<_>>() })
        };
        let tasks: Vec<Value> = tops.into_iter().enumerate().map(top).collect();
        json!({ "taskCount": 1, "blockCompletion": true, "tasks": tasks })
    });
    let set = (tree, any::<bool>()).prop_map(|(mut set, or)| {
        set["decomp"] = json!(if or { "OR" } else { "AND" });
        ("task_list_set", set)
    });
    let id = prop_oneof![
        (0..4_u8).prop_map(|a| a.to_string()),
        (0..4_u8, 0..3_u8).prop_map(|(a, b)| format!("{a}.{b}")),
        (0..4_u8, 0..3_u8).prop_map(|(a, b)| format!("{a}.{b}.0")),
    ];
    let what = prop_oneof![
        Just("task_complete"),
        Just("task_complete"),
        Just("task_skipped"),
        Just("task_failed"),
        Just("task_blocked"),
    ];
    let said = (what, id).prop_map(|(what, id)| (what, json!({ "taskId": id, "reason": "r" })));
    (set, prop::collection::vec(said, 0..9)).prop_map(|(set, mut said)| {
        said.insert(0, set);
        said
    })
}

proptest! {
    #[test]
    fn a_task_is_found_as_by_looking_at_all(changes in prop::collection::vec(change(), 1..8)) {
        let mut tasks = Tasks::default();
        for (name, fields) in &changes {
            apply(&mut tasks, &event(name, &fields.to_string()));
            let flat = tasks.flat();
            prop_assert_eq!(tasks.size(), flat.len() as u64);
            for id in 0..6 {
                let id = id.to_string();
                let first = flat.iter().position(|(_, task)| task.id == id);
                let mut path: Vec<&str> = Vec::new();
                for (depth, task) in &flat[..first.map_or(0, |at| at + 1)] {
                    path.truncate(*depth);
                    path.push(&task.id);
                }
                prop_assert_eq!(tasks.path(&id), path);
                let found = tasks.find(&id).map(std::ptr::from_ref);
                prop_assert_eq!(found, first.map(|at| std::ptr::from_ref(flat[at].1)));
            }
        }
    }

    #[test]
    fn what_is_let_go_below_a_task_is_what_was_to_be_done(told in told(), of in 0..4_usize, child in prop::option::of(0..3_usize)) {
        let mut tasks = Tasks::default();
        for (name, fields) in &told {
            apply(&mut tasks, &event(name, &fields.to_string()));
        }
        let id = child.map_or(of.to_string(), |child| format!("{of}.{child}"));
        let below: Vec<&str> = match tasks.find(&id) {
            Some(task) => Tasks::flat_of(&task.tasks).iter().map(|(_, it)| &*it.id).collect(),
            None => Vec::new(),
        };
        let standing = TaskStatuses::of(&tasks);
        let open = stack(&tasks, &standing).into_iter().map(|frame| frame.task);
        let skipped = tasks.flat().into_iter().map(|(_, task)| task);
        let skipped = skipped.filter(|task| tasks.mark(&task.id).status == TaskStatus::Skipped);
        let mut expected: Vec<String> = open.chain(skipped).map(|task| task.id.clone()).collect();
        expected.retain(|gone| below.contains(&&**gone));
        let fields = json!({ "taskId": id, "tasks": [{ "id": "new", "title": "t" }],
            "decomp": "AND", "source": "s" });
        apply(&mut tasks, &event("task_expanded", &fields.to_string()));
        let removed: Vec<String> = tasks.removed.iter().map(|it| it.id.clone()).collect();
        prop_assert_eq!(removed, expected);
    }
}
