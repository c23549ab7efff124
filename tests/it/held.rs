//! What agents cannot lower of tasks that hold completion, nor hide from the auditor.

use serde_json::{Value, json};

use crate::support::{Project, Ran, auditor};

fn tree(project: &Project) -> Value {
    project.run(&["task", "tree", "--json"]).ok().data()["tasks"].clone()
}

fn set(project: &Project, text: &str) -> Ran {
    project.call(&["task", "set", "--json"]).stdin(text).run()
}

#[test]
fn an_agent_drops_no_task_that_holds_completion() {
    let (project, _) = Project::with_goal("x");
    set(&project, "- [ ] one\n- [ ] two\n").ok();
    let set_as_agent = |data: &str| project.run(&["tool", "set_goal_tasks", "--data", data]);
    for data in [
        r#"{"tasks":[{"title":"one"}]}"#,
        r#"{"tasks":[{"title":"one"},{"title":"two"}],"blockCompletion":false}"#,
    ] {
        assert_eq!(
            set_as_agent(data).exits(5).error_code(),
            "human_owned",
            "{data}"
        );
    }
    set_as_agent(r#"{"tasks":[{"title":"one"},{"title":"half"},{"title":"two"}]}"#).ok();
    let skip = r#"{"taskId":"2","status":"skipped","reason":"the user said so"}"#;
    project
        .run(&["tool", "update_goal_task", "--data", skip])
        .ok();
    // What was skipped may go, and the user may drop anything: the auditor reads it.
    set_as_agent(r#"{"tasks":[{"title":"one"},{"title":"half"}]}"#).ok();
    project
        .call(&["task", "set", "--reason", "too much KEEPSAKE"])
        .stdin("- [x] one\n")
        .run()
        .ok();
    project.auditor(auditor::QUOTE_AND_APPROVE);
    project.run(&["complete"]).ok();
    let report = project.events_of_type("audit_result")[0]["report"].clone();
    assert!(
        report
            .as_str()
            .unwrap()
            .contains("- 3: half (too much KEEPSAKE)"),
        "{report}"
    );
}

#[test]
fn an_agent_lowers_nothing_that_holds_completion() {
    let (project, _) = Project::with_goal("x");
    let tasks = r#"[{"title":"one","verificationContract":"v","doneWhen":[{"kind":"hasEvidence","key":"k"}]},
        {"title":"two"},{"title":"three"}]"#;
    set(&project, tasks).ok();
    project.run(&["task", "complete", "3"]).ok();
    let before = project.ledger();
    let one = r#"{"id":"1","title":"one","verificationContract":"v","doneWhen":[{"kind":"hasEvidence","key":"k"}]}"#;
    for tree in [
        r#"{"tasks":[{"id":"1","title":"one"},{"id":"2","title":"two"}]}"#.to_owned(),
        format!(r#"{{"decomp":"OR","tasks":[{one},{{"id":"2","title":"two"}}]}}"#),
        format!(
            r#"{{"tasks":[{{"title":"new","decomp":"OR","tasks":[{one},{{"id":"2","title":"two"}}]}}]}}"#
        ),
        // Below a task that is complete, all is moot.
        format!(
            r#"{{"tasks":[{{"id":"3","title":"three","tasks":[{one},{{"id":"2","title":"two"}}]}}]}}"#
        ),
    ] {
        let refused = project.run(&["tool", "set_goal_tasks", "--data", &tree]);
        assert_eq!(refused.exits(5).error_code(), "human_owned", "{tree}");
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn no_way_hides_from_the_auditor_what_was_not_done() {
    let (project, _) = Project::with_goal("x");
    set(&project, "- a\n- b\n- c\n- d\n").ok();
    let as_agent = |tool: &str, data: &str| project.run(&["tool", tool, "--data", data]).ok();
    let skip = r#"{"taskId":"4","status":"skipped","reason":"KEEPSAKE"}"#;
    as_agent("update_goal_task", skip);
    as_agent(
        "set_goal_tasks",
        r#"{"tasks":[{"title":"a"},{"title":"b"},{"title":"c"}]}"#,
    );
    let less = project.call(&["task", "set", "--reason", "less"]);
    less.stdin("- a\n- b\n").run().ok();
    // Neither a new task nor another title takes the place of what is gone.
    let easy = r#"[{"title":"a"},{"id":"2","title":"easy"},{"title":"new"}]"#;
    let data = format!(r#"{{"tasks":{easy},"reason":"simpler"}}"#);
    let refused = project.run(&["tool", "set_goal_tasks", "--data", &data]);
    assert_eq!(refused.exits(5).error_code(), "human_owned");
    let simpler = project.call(&["task", "set", "-", "--reason", "simpler"]);
    simpler.stdin(easy).run().ok();
    let list = tree(&project)["list"].clone();
    assert_eq!((&list[1]["id"], &list[2]["id"]), (&json!("2"), &json!("5")));
    for id in ["1", "2", "5"] {
        project.run(&["task", "complete", id]).ok();
    }
    project.auditor("cat > \"$here/asked\"; echo '<approved/>'");
    project.run(&["complete"]).ok();
    let asked = std::fs::read_to_string(project.aside.join("asked")).unwrap();
    for line in ["- 4: d (KEEPSAKE)", "- 3: c (less)", "- 2: b (simpler)"] {
        assert!(asked.contains(line), "{line}: {asked}");
    }
}

#[test]
fn nothing_is_no_evidence() {
    let (project, _) = Project::with_goal("x");
    set(
        &project,
        r#"[{"title":"a","doneWhen":[{"kind":"hasEvidence","key":"k"}]}]"#,
    )
    .ok();
    for value in [
        &["null", "--value-json"][..],
        &["\"\"", "--value-json"],
        &[" "],
    ] {
        let add = [&["evidence", "add", "k", "--json"], value].concat();
        assert_eq!(project.run(&add).exits(2).error_code(), "empty_field");
    }
    assert_eq!(tree(&project)["list"][0]["status"], "pending");
    project
        .run(&["evidence", "add", "k", "false", "--value-json"])
        .ok();
    assert_eq!(
        tree(&project)["list"][0]["status"],
        "complete",
        "a value is a value"
    );
}
