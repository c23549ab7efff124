//! Many items in one call: all of them are recorded, or none.

use crate::support::Project;

#[test]
fn goals_come_many_at_once() {
    let project = Project::new();
    let batch =
        "{\"objective\":\"one\"}\n\n{\"objective\":\"two\",\"title\":\"T\",\"checks\":[\"c\"]}\n";
    let said = project
        .call(&["set", "--batch", "-"])
        .stdin(batch)
        .run()
        .ok();
    assert!(
        said.stdout.contains("Created 2 goals, the first of them"),
        "{said}"
    );
    let created = project.events_of_type("goal_created");
    assert_eq!(created[0]["objective"], "one");
    assert_eq!(
        (&created[1]["title"], &created[1]["checks"][0]),
        (&"T".into(), &"c".into())
    );
    assert_eq!(project.events_of_type("goal_focused").len(), 1);
    // Again with the same key: nothing new.
    let keyed = ["set", "--batch", "-", "--key", "k"];
    for _ in 0..2 {
        project
            .call(&keyed)
            .stdin("{\"objective\":\"three\"}\n")
            .run()
            .ok();
    }
    assert_eq!(project.events_of_type("goal_created").len(), 3);
}

#[test]
fn tasks_and_evidence_come_many_at_once() {
    let (project, _) = Project::with_goal("many");
    let file = project.aside.join("tasks.jsonl");
    std::fs::write(
        &file,
        "{\"title\":\"a\"}\n{\"title\":\"b\",\"done\":true}\n",
    )
    .unwrap();
    project.run(&["task", "add", "--batch", file.as_str()]).ok();
    let events =
        project.events_of_type("task_added").len() + project.events_of_type("task_list_set").len();
    assert_eq!(events, 1, "one event for all");
    let batch = "{\"key\":\"k\",\"value\":1}\n{\"key\":\"l\",\"value\":[\"m\"]}\n";
    let add = ["evidence", "add", "--batch", "-", "--task", "1"];
    project.call(&add).stdin(batch).run().ok();
    let given = project.events_of_type("evidence_added");
    assert_eq!(
        (&given[1]["key"], &given[1]["value"][0]),
        (&"l".into(), &"m".into())
    );
    assert!(given.iter().all(|it| it["taskId"] == "1"));
}

#[test]
fn one_wrong_item_records_nothing() {
    let (project, _) = Project::with_goal("none");
    let before = project.events().len();
    for (args, batch, why) in [
        (
            &["set", "--batch", "-"][..],
            "{\"objective\":\"a\"}\n{\"objectiv\":\"b\"}\n",
            "item 2",
        ),
        (
            &["set", "--batch", "-"],
            "{\"objective\":\"a\"}\n{\"title\":\"b\"}\n",
            "objective",
        ),
        (
            &["set", "--batch", "-"],
            "{\"objective\":\"a\"}\n{\"objective\":\" \"}\n",
            "item 2 of the batch: `objective` is empty",
        ),
        (&["set", "--batch", "-"], "\n", "no items"),
        (
            &["task", "add", "--batch", "-"],
            "{\"title\":\"a\"}\n{\"titel\":\"b\"}\n",
            "line 2",
        ),
        (
            &["evidence", "add", "--batch", "-"],
            "{\"key\":\"a\"}\n",
            "line 1",
        ),
        (&["evidence", "add", "k"], "", "VALUE"),
        (&["task", "add"], "", "TITLE"),
        (&["set"], "", "OBJECTIVE"),
        (&["set", "o", "--batch", "-"], "", "--batch"),
    ] {
        let ran = project.call(args).stdin(batch).run();
        assert!(
            !ran.success() && ran.stderr.contains(why),
            "{args:?}: {ran}"
        );
    }
    assert_eq!(project.events().len(), before);
}
