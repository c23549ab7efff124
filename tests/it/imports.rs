//! Plan files that become tasks or goals, once and again.

use serde_json::json;

use crate::support::Project;

#[test]
fn a_plan_becomes_a_queue_of_goals() {
    let project = Project::new();
    let plan = "# Roadmap\n\n- [x] Done\n- [ ] First\n  - [x] a\n  - [ ] b\n- [ ] Second\n";
    let import = |project: &Project| {
        let call = project.call(&["import", "-", "--as", "goals", "--json", "--key", "k"]);
        call.stdin(plan).run()
    };
    let data = import(&project).ok().data();
    assert_eq!(data["leftOut"], 1);
    let goals = data["goals"].as_array().unwrap();
    assert_eq!(
        (&goals[0]["objective"], &goals[0]["tasks"]),
        (&json!("First"), &json!(2))
    );
    assert_eq!(goals[1]["objective"], "Second");
    assert_eq!(
        project
            .event_types()
            .iter()
            .filter(|it| *it == "goal_focused")
            .count(),
        1
    );
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(
        (&next["kind"], &next["task"]["id"]),
        (&json!("work"), &json!("2"))
    );
    let again = import(&project).ok().data();
    assert_eq!(
        (&again["repeated"], &again["goals"]),
        (&json!(true), &data["goals"])
    );
    let done = project
        .call(&["import", "-", "--as", "goals", "--json"])
        .stdin("- [x] a")
        .run();
    assert_eq!(done.exits(2).error_code(), "usage");
}

#[test]
fn a_plan_that_is_imported_again_brings_what_is_new() {
    let (project, _) = Project::with_goal("x");
    let import = |text: &str| project.call(&["import", "-", "--json"]).stdin(text).run();
    let plan = "- [x] one\n- [ ] two\n  - [x] a\n  - [ ] b\n";
    import(plan).ok();
    let before = project.ledger();
    let again = import(plan).exits(4);
    assert_eq!(again.error_code(), "already_imported");
    assert_eq!(project.ledger(), before);
    // What became of it changes nothing: done or skipped, it is there.
    project.run(&["task", "skip", "2.2", "--reason", "r"]).ok();
    import(plan).exits(4);
    let longer = format!("- [ ] zero\n  - [x] c\n{plan}- [x] three\n");
    let data = import(&longer).ok().data();
    assert_eq!(data["alreadyThere"], json!(["one", "two"]));
    let tasks = data["tasks"]["tasks"]["list"].as_array().unwrap();
    let all: Vec<(&str, &str)> = tasks
        .iter()
        .map(|it| {
            (
                it["title"].as_str().unwrap(),
                it["status"].as_str().unwrap(),
            )
        })
        .collect();
    let complete = "complete";
    let expected = [
        ("one", complete),
        ("two", complete),
        ("zero", complete),
        ("three", complete),
    ];
    assert_eq!(all, expected, "each once, and what is done is done");
    let text = project
        .call(&["import", "-"])
        .stdin("- [ ] one\n- [ ] four\n");
    let text = text.run().ok().stdout;
    assert!(
        text.contains("There already: 1 item of the plan: one\n"),
        "{text}"
    );
    let changed = import("- [ ] two\n  - [ ] a\n  - [ ] new\n- [ ] five\n").exits(2);
    assert_eq!(changed.error_code(), "invalid_task", "{changed}");
    assert!(
        changed.stdout.contains("`new` is not below it"),
        "{changed}"
    );
}

#[test]
fn a_queue_that_is_imported_again_brings_what_is_new() {
    let project = Project::new();
    let import = |text: &str| {
        let call = project.call(&["import", "-", "--as", "goals", "--json"]);
        call.stdin(text).run()
    };
    import("- [ ] First\n- [ ] Second\n").ok();
    project.run(&["abort", "--reason", "r"]).ok();
    let again = import("- [ ] First\n- [ ] Second\n").exits(4);
    assert_eq!(again.error_code(), "already_imported");
    let data = import("- [ ] Third\n- [ ] First\n").ok().data();
    assert_eq!(data["alreadyThere"], json!(["First"]));
    assert_eq!(data["goals"].as_array().unwrap().len(), 1);
    assert_eq!(project.events_of_type("goal_created").len(), 3);
}

#[test]
fn how_a_goal_came_about_is_shown() {
    let (project, set) = Project::with_goal("Ship it");
    let part = project.run(&["delegate", "--to", "ben", "Write the guide", "--json"]);
    let part = part.ok().data()["goalId"].as_str().unwrap().to_owned();
    project.run_as_agent(&["propose", "Add totals"]).ok();
    let proposal = project.confirm().ok();
    assert!(proposal.stdout.contains("Created"), "{proposal}");
    let proposal = project.events_of_type("goal_created").pop().unwrap();
    project.append_line(
        r#"{"type":"goal_created","goalId":"theirs-1","at":"2026-01-01T00:00:00.000Z","objective":"o","sisyphus":false,"autoContinue":true}"#,
    );
    for (id, source, said) in [
        (&*set, "set", None),
        (&part, "delegation", Some("handed on from another goal")),
        (
            proposal["goalId"].as_str().unwrap(),
            "proposal",
            Some("a proposal that the user confirmed"),
        ),
        ("theirs-1", "import", Some("another tool")),
    ] {
        let shown = project.run(&["show", id, "--json"]).ok().data();
        assert_eq!(shown["goal"]["source"], source, "{id}");
        let shown = project.run(&["show", id]).ok().stdout;
        let line = shown
            .lines()
            .find_map(|line| line.trim().strip_prefix("came from"));
        assert_eq!(line.map(str::trim), said, "{shown}");
    }
}
