//! The numbers of a plan that is imported, and imported again.

use serde_json::{Value, json};

use crate::domain::actor::{Actor, Caller};
use crate::domain::decide::tasks::decide;
use crate::domain::decide::tasks::tests::{act, given, goal};
use crate::domain::event::Payload;
use crate::domain::goal::state::Goal;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::plan_file::{Source, formats, read_as};
use crate::domain::task::spec::{Definitions, Limits, definitions};
use crate::domain::task::state::TaskStatus;

/// A plan calls other parts so.
#[test]
fn numbers_that_are_reserved_are_given_to_no_task() {
    let reserving = |reserved: &[&str], tasks: Value| Definitions {
        reserved: reserved.iter().map(|it| (*it).to_owned()).collect(),
        ..given(tasks)
    };
    let ids =
        |goal: &Goal| -> Vec<String> { goal.tasks.specs.iter().map(|it| it.id.clone()).collect() };
    let mut goal = goal(json!([]));
    let mut plan = reserving(&["1"], json!([{ "title": "a" }, { "title": "b" }]));
    plan.own_ids.clear();
    act(&mut goal, &TaskCommand::Import(plan)).unwrap();
    assert_eq!(ids(&goal), ["2", "3"]);
    // The plan now has a new line between them, and calls `b` 3, which is `b`.
    let plan = json!([{ "title": "a" }, { "title": "new" }, { "title": "b" }]);
    act(&mut goal, &TaskCommand::Import(given(plan))).unwrap();
    assert_eq!(ids(&goal), ["2", "3", "4"]);
}

/// The plan that is imported again has a new line in the middle, so its numbers moved.
#[test]
fn a_number_that_means_two_tasks_is_refused_by_name() {
    let mut goal = goal(json!([]));
    let plan = |titles: &[&str]| {
        let tasks: Vec<Value> = titles.iter().map(|it| json!({ "title": it })).collect();
        TaskCommand::Import(given(tasks.into()))
    };
    act(&mut goal, &plan(&["parse", "write"])).unwrap();
    act(&mut goal, &plan(&["parse", "check", "write"])).unwrap();
    let task = |title: &str| {
        let flat = goal.tasks.flat();
        let (_, task) = flat.iter().find(|(_, it)| it.title == title).unwrap();
        (task.id.clone(), task.plan_id.clone())
    };
    assert_eq!(task("parse"), ("1".into(), None));
    assert_eq!(task("write"), ("2".into(), Some("3".into())));
    assert_eq!(task("check"), ("4".into(), Some("2".into())));
    let completed = |text: &str| {
        let becomes = TaskStatus::Complete;
        let command = TaskCommand::Mark {
            task: text.into(),
            becomes,
            word: Word::default(),
        };
        let payloads = decide(
            &goal,
            &command,
            &Limits::default(),
            &Caller::new(Actor::User),
        );
        payloads.map(|payloads| match &payloads[0] {
            Payload::TaskComplete(it) => it.task_id.clone(),
            other => panic!("{other:?}"),
        })
    };
    let refused = completed("2").unwrap_err();
    assert_eq!(refused.code(), "ambiguous_task");
    let said = refused.to_string();
    assert!(said.contains("write") && said.contains("check"), "{said}");
    for (text, id) in [
        ("1", "1"),
        ("3", "2"),
        ("4", "4"),
        ("2 write", "2"),
        ("2 check", "4"),
        ("=2", "2"),
    ] {
        assert_eq!(completed(text).unwrap(), id, "{text}");
    }
    // The numbers move back: that alone is recorded, too, and then nothing.
    let payloads = act(&mut goal, &plan(&["parse", "write", "check"])).unwrap();
    assert_eq!(payloads, ["task_updated"]);
    let again = act(&mut goal, &plan(&["parse", "write", "check"])).unwrap_err();
    assert_eq!(again.code(), "already_imported");
}

/// The numbers in a list of spec-kit change with it, and what a task waits for is no part of its title.
#[test]
fn a_task_that_waits_for_another_number_is_the_same_task() {
    let plan = |text: &str| {
        let source = Source { path: "", text };
        let plan = read_as(&source, formats::named("spec-kit").unwrap()).unwrap();
        TaskCommand::Import(definitions(&plan.tasks))
    };
    let first = "- [ ] T001 Begin\n- [ ] T002 Go on (depends on T001)\n";
    let titles = |goal: &Goal| -> Vec<(String, String)> {
        let specs = goal.tasks.specs.iter();
        specs.map(|it| (it.id.clone(), it.title.clone())).collect()
    };
    let mut goal = goal(json!([]));
    act(&mut goal, &plan(first)).unwrap();
    let wanted = [("T001", "Begin"), ("T002", "Go on")];
    let wanted = wanted.map(|(id, title)| (id.to_owned(), title.to_owned()));
    assert_eq!(titles(&goal), wanted);
    assert_eq!(goal.tasks.specs[1].after, ["T001"]);
    let again = "- [ ] T001 Begin\n- [ ] T002 Go on (Depends on: T001, T003)\n- [ ] T003 Beside\n";
    act(&mut goal, &plan(again)).unwrap();
    assert_eq!(titles(&goal)[..2], wanted);
    assert_eq!(titles(&goal).len(), 3);
    // So is a task whose title has the numbers still.
    let mut before = super::super::tests::goal(json!([
        { "id": "T001", "title": "Begin" },
        { "id": "T002", "title": "Go on (depends on T001)" },
        { "id": "T003", "title": "Beside" },
    ]));
    let nothing = act(&mut before, &plan(again)).unwrap_err();
    assert_eq!(nothing.code(), "already_imported");
}
