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
fn the_answer_names_what_became_of_the_plan() {
    let (project, _) = Project::with_goal("x");
    let plan = "Before.\n\n## 0. First\n- [x] 0.1 Wait\n## 1. Build\n- [~] 1.1 Write\n  - with care\n\
                - [>] 1.2 Test\n\n## Notes\n\n1. A remark\n";
    let set = |args: &[&str]| project.call(args).stdin(plan).run().ok();
    let dry = set(&["task", "set", "-", "--dry-run"]).stdout;
    assert!(dry.contains("    [x] 0.1 Wait\n"), "{dry}");
    assert_eq!(project.count("task_list_set"), 0);
    let said = set(&["task", "import", "-"]).stdout;
    for line in [
        "    [~] 1.1 Write\n",
        "Note: the mark `[>]` of 1 box is not known, so it counts as open.\n",
        "Left out: 3 parts of the plan.\n  line 1: Before.\n  line 10: Notes\n  line 12: 1. A remark\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    project.run(&["task", "complete", "1.1"]).ok();
    assert_eq!(project.last_event()["taskId"], "1.1");
    let exported = project.run(&["task", "export"]).ok().stdout;
    assert!(
        exported.contains("  - [x] 1.1 Write\n\n    - with care\n"),
        "{exported}"
    );
    let (other, _) = Project::with_goal("x");
    let call = other.call(&["task", "set", "-"]);
    call.stdin(&exported).run().ok();
    assert_eq!(other.run(&["task", "export"]).ok().stdout, exported);
    let (third, _) = Project::with_goal("x");
    let call = third.call(&["task", "set", "-", "--json"]);
    let data = call.stdin(plan).run().ok().data();
    assert_eq!(
        data["plan"]["leftOut"],
        json!(["line 1: Before.", "line 10: Notes", "line 12: 1. A remark"])
    );
}

#[test]
fn a_file_of_another_tool_is_told_or_named() {
    let (project, _) = Project::with_goal("x");
    let import = |args: &[&str], text: &str| {
        let args = [&["task", "import", "-", "--json"], args].concat();
        project.call(&args).stdin(text).run()
    };
    let todos = r#"[{"content":"Fix it","status":"in_progress","activeForm":"Fixing it"}]"#;
    let data = import(&[], todos).ok().data();
    assert_eq!(data["plan"]["format"], "todos");
    assert_eq!(data["tasks"]["tasks"]["list"][0]["status"], "active");
    let data = import(&["--format", "kiro"], "- [-] 7. Build\n")
        .ok()
        .data();
    assert_eq!(data["tasks"]["tasks"]["list"][1]["id"], "7");
    let taken = import(&[], "- [ ] 7. Other\n").ok().data();
    assert_eq!(
        taken["plan"]["remarks"],
        json!(["`7` is another task already, so `Other` is task `2`"])
    );
    import(&["--format", "beads"], "- [ ] a\n").exits(2);
    import(&["--format", "none"], "- [ ] a\n").exits(2);
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

#[test]
fn a_plan_file_is_kept_in_step() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let (project, _) = Project::with_goal("x");
    let plan = "\u{feff}# Plan\r\n\r\n- [ ] 1. one  \r\n- [ ] 2. two\r\n\r\nend";
    let path = project.root.join("PLAN.md");
    std::fs::write(&path, plan).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    project.run(&["task", "set", "PLAN.md"]).ok();
    project.run(&["task", "complete", "2"]).ok();
    project.run(&["task", "add", "three"]).ok();
    let sync = |more: &[&str]| {
        let args = [&["task", "export", "--sync"], more].concat();
        project.run(&args)
    };
    let said = sync(&["PLAN.md", "--dry-run"]).ok().stdout;
    assert!(said.starts_with("Would set 1 box of PLAN.md."), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), plan);
    let said = sync(&["PLAN.md"]).ok().stdout;
    assert_eq!(
        said,
        "Set 1 box of PLAN.md.\n  line 4: [ ] to [x] 2 two\nTasks without a box in it: 3\n"
    );
    let expected = plan.replace("[ ] 2.", "[x] 2.");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        sync(&["PLAN.md", "--json"]).ok().data()["synced"]["written"],
        false
    );
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("p.md"), plan).unwrap();
    symlink(outside.path().join("p.md"), project.root.join("linked.md")).unwrap();
    let refused = sync(&["linked.md"]).exits(2).stderr;
    assert!(refused.contains("outside of the project"), "{refused}");
    assert_eq!(
        std::fs::read_to_string(outside.path().join("p.md")).unwrap(),
        plan
    );
    std::fs::write(project.root.join("tasks.json"), r#"[{"title":"one"}]"#).unwrap();
    sync(&["tasks.json"]).exits(2);
}

#[test]
fn what_a_plan_says_is_done_and_is_open_here_becomes_done() {
    let (project, _) = Project::with_goal("x");
    let import = |text: &str| project.call(&["import", "-", "--json"]).stdin(text).run();
    import("- [ ] one\n- [ ] two\n  - [ ] a\n  - [ ] b\n").ok();
    import("- [x] one\n- [ ] two\n  - [x] a\n  - [ ] b\n").ok();
    let done = project.count("task_complete");
    assert_eq!(done, 2);
    import("- [x] one\n- [ ] two\n  - [x] a\n  - [ ] b\n").exits(4);
    import("- [x] one\n- [ ] two\n  - [x] a\n  - [x] b\n- [ ] three\n").ok();
    assert_eq!(project.count("task_complete"), 3);
    assert_eq!(project.count("task_added"), 1);
}

#[test]
fn a_number_that_moved_is_refused_by_the_names_of_both_tasks() {
    let (project, _) = Project::with_goal("x");
    let import = |text: &str| project.call(&["import", "-", "--json"]).stdin(text).run();
    import("- [ ] 1. parse\n- [ ] 2. write\n").ok();
    let moved = import("- [ ] 1. parse\n- [ ] 2. check\n- [ ] 3. write\n");
    assert_eq!(
        moved.ok().data()["plan"]["remarks"],
        serde_json::json!([
            "`2` is another task already, so `check` is task `4`",
            "the plan's numbers moved: `3` is task `2`"
        ])
    );
    let refused = project.run(&["task", "complete", "2", "--json"]).exits(3);
    assert_eq!(refused.error_code(), "ambiguous_task");
    let said = refused.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(said.contains("write") && said.contains("check"), "{said}");
    for act in [
        &["task", "add", "more", "--after", "2"][..],
        &["task", "add", "more", "--under", "2"],
        &["task", "start", "2"],
        &["usage", "add", "--tokens-in", "5", "--task", "2"],
        &["evidence", "add", "key", "value", "--task", "2"],
        &["evidence", "list", "--task", "2"],
        &["check", "true", "--task", "2"],
        &["plan", "2"],
        &["ask", "Which one?", "--task", "2"],
        &["progress", "iterate", "start", "--task", "2"],
    ] {
        let refused = project.run(&[act, &["--json"]].concat()).exits(3);
        assert_eq!(refused.error_code(), "ambiguous_task", "{act:?}");
    }
    let add = |title: &str, after: &str| {
        let added = project.run(&["task", "add", title, "--after", after, "--json"]);
        added.ok().data()["tasks"].clone()
    };
    let after = |tasks: &serde_json::Value, index: usize| tasks["list"][index]["after"].clone();
    assert_eq!(after(&add("more", "2 check"), 3), serde_json::json!(["4"]));
    assert_eq!(after(&add("and more", "=2"), 4), serde_json::json!(["2"]));
    let spent = ["usage", "add", "--tokens-in", "5", "--task", "2 check"];
    project.run(&spent).ok();
    let done = project.run(&["task", "complete", "2 check", "--json"]).ok();
    assert_eq!(done.data()["task"]["title"], "check");
    let done = project.run(&["task", "complete", "3", "--json"]).ok();
    assert_eq!(done.data()["task"]["title"], "write");
}

#[test]
fn goals_that_wait_for_each_other_say_so_in_words() {
    let project = Project::new();
    let plan = r#"{"tasks":[
        {"id":1,"title":"Dig","status":"pending","subtasks":[{"id":1,"title":"the bed","status":"pending"}]},
        {"id":2,"title":"Sow","status":"pending","dependencies":[1],"subtasks":[
            {"id":1,"title":"the peas","status":"pending","dependencies":["1.1"]},
            {"id":2,"title":"the beans","status":"pending","dependencies":[1]}]}
    ]}"#;
    let call = project.call(&[
        "import",
        "-",
        "--as",
        "goals",
        "--format",
        "task-master",
        "--json",
    ]);
    let data = call.stdin(plan).run().ok().data();
    assert_eq!(data["goals"].as_array().unwrap().len(), 2, "{data}");
    let remarks = data["plan"]["remarks"].to_string();
    assert!(
        remarks.contains("a constraint of its goal says"),
        "{remarks}"
    );
    let id = data["goals"][1]["goalId"].as_str().unwrap();
    let shown = project.run(&["show", id]).ok().stdout;
    assert!(shown.contains("Begin when `Dig` is done."), "{shown}");
}

#[test]
fn a_task_that_begins_before_another_one_is_told_of() {
    let (project, _) = Project::with_goal("x");
    let plan = "- [ ] 1. build\n- [ ] 2. ship <!-- goal {\"after\":[\"1\"]} -->\n";
    project.call(&["import", "-"]).stdin(plan).run().ok();
    let early = project.run(&["task", "start", "2"]).ok().stderr;
    assert!(
        early.contains("task `2` was started, and it comes after `1` `build`"),
        "{early}"
    );
    project.run(&["task", "complete", "1"]).ok();
    let late = project.run(&["task", "complete", "2"]).ok().stderr;
    assert!(!late.contains("comes after"), "{late}");
}
