//! Goals that are made of tasks: from a plan file to the auditor.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Project, Ran, auditor};

/// An OR of three strategies, as JSON on stdin.
const STRATEGIES: &str = r#"{"decomp":"OR","tasks":[
    {"id":"index","title":"Add an index","maxAttempts":1},
    {"id":"cache","title":"Cache the rows","doneWhen":[{"kind":"hasEvidence","key":"hitRate"}]},
    {"id":"shard","title":"Shard the table"}]}"#;

fn next(project: &Project) -> (String, Value) {
    let next = project.run(&["next", "--json"]).ok().data();
    (
        next["kind"].as_str().unwrap().to_owned(),
        next["task"]["id"].clone(),
    )
}

fn tree(project: &Project) -> Value {
    project.run(&["task", "tree", "--json"]).ok().data()["tasks"].clone()
}

fn status(project: &Project, id: &str) -> String {
    fn find(list: &Value, id: &str) -> Option<String> {
        list.as_array()?
            .iter()
            .find_map(|task| match task["id"] == id {
                true => Some(task["status"].as_str()?.to_owned()),
                false => find(&task["tasks"], id),
            })
    }
    find(&tree(project)["list"], id).unwrap()
}

fn set(project: &Project, text: &str) -> Ran {
    project.call(&["task", "set", "--json"]).stdin(text).run()
}

#[test]
fn a_new_list_names_the_done_tasks_that_it_drops() {
    let (project, _) = Project::with_goal("g");
    set(&project, "- [ ] parse\n- [ ] print\n- [ ] test\n").ok();
    for task in ["1", "2"] {
        project.run(&["task", "complete", task]).ok();
    }
    let dropped = set(&project, "- [ ] parse it\n- [ ] print\n").ok();
    let notices = dropped.data()["notices"].clone();
    assert_eq!(notices[0]["code"], "done_task_dropped", "{notices}");
    let message = "the new list drops 1 done task: 1 parse";
    assert_eq!(notices[0]["message"], message);
    assert_eq!(status(&project, "2"), "complete");
    // Dropping an open task is not told.
    let again = set(&project, "- [ ] print\n").ok();
    assert_eq!(again.data()["notices"], Value::Null);
}

#[test]
fn of_three_strategies_one_fails_one_succeeds_and_one_is_moot() {
    let (project, goal) = Project::with_goal("Make the page fast");
    project.auditor(auditor::APPROVE);
    set(&project, STRATEGIES).ok();
    assert_eq!(next(&project), ("work".into(), json!("index")));
    project.run(&["task", "start", "index"]).ok();
    project
        .run(&["task", "fail", "index", "--reason", "it is there already"])
        .ok();
    assert_eq!(status(&project, "index"), "failed");
    assert_eq!(next(&project), ("work".into(), json!("cache")));
    assert_eq!(project.status(&goal), "active", "an alternative is left");
    let refused = project.run(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "tasks_open");

    // No word completes what asks for evidence.
    let word = [
        "task",
        "complete",
        "cache",
        "--evidence",
        "trust me",
        "--json",
    ];
    assert_eq!(project.run(&word).exits(5).error_code(), "task_unproved");
    let give = [
        "evidence",
        "add",
        "hitRate",
        "0.97",
        "--value-json",
        "--task",
        "cache",
    ];
    project.run(&give).ok();
    assert_eq!(status(&project, "cache"), "complete");
    assert_eq!(status(&project, "shard"), "skipped", "moot");
    assert_eq!(next(&project), ("ready".into(), Value::Null));
    assert_eq!(
        project.run(&["stack"]).ok().stdout,
        "The stack is empty: no task is open.\n"
    );
    assert_eq!(project.status(&goal), "active", "only the gate completes");
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&goal), "complete");
}

#[test]
fn when_all_alternatives_fail_the_goal_is_blocked() {
    let (project, goal) = Project::with_goal("x");
    set(
        &project,
        r#"{"decomp":"OR","tasks":[{"title":"a","maxAttempts":1},{"title":"b","maxAttempts":2}]}"#,
    )
    .ok();
    for id in ["1", "2", "2"] {
        assert_eq!(project.status(&goal), "active");
        project.run(&["task", "fail", id, "--reason", "no"]).ok();
    }
    assert_eq!(project.status(&goal), "blocked");
    let shown = project.run(&["task", "tree"]).ok().stdout;
    assert!(
        shown.contains("[ ] 2 b (failed: no; 2 of 2 attempts failed)"),
        "{shown}"
    );
    project
        .run(&["task", "reopen", "1", "--reason", "another idea"])
        .ok();
    project.run(&["resume"]).ok();
    assert_eq!(next(&project), ("work".into(), json!("1")));
}

/// Forty items in four phases, three of them done.
fn plan() -> String {
    let mut text = "# Port the parser\n\nSome words about it.\n".to_owned();
    for phase in 1..=4 {
        text.push_str(&format!("\n## Phase {phase}\n\n"));
        for item in 1..=10 {
            let mark = if phase == 1 && item <= 3 { "x" } else { " " };
            text.push_str(&format!("- [{mark}] item {phase}.{item}\n  - a remark\n"));
        }
    }
    text
}

#[test]
fn a_plan_of_forty_items_is_worked_through_and_completed_past_the_auditor() {
    let (project, goal) = Project::with_goal("Port the parser");
    project.auditor("cat > \"$here/asked\"; echo '<approved/>'");
    fs::write(project.root.join("PLAN.md"), plan()).unwrap();
    let imported = project.run(&["import", "PLAN.md", "--json"]).ok().data();
    assert_eq!(imported["title"], "Port the parser");
    assert_eq!(imported["leftOut"], 1, "the words about it");
    assert_eq!(
        imported["tasks"]["tasks"]["open"], 37,
        "its 4 phases are made of these"
    );
    assert_eq!(project.events_of_type("task_complete").len(), 3);
    let mut steps = 0;
    loop {
        let (kind, id) = next(&project);
        if kind == "ready" {
            break;
        }
        assert_eq!(kind, "work");
        let id = id.as_str().unwrap();
        // What comes next is what stands on top.
        let stack = project.run(&["stack", "--json"]).ok().data();
        assert_eq!(stack["frames"][0]["id"], id);
        match steps % 5 {
            4 => project
                .run(&["task", "skip", id, "--reason", "not needed KEEPSAKE"])
                .ok(),
            _ => project.run_as_agent(&["task", "complete", id]).ok(),
        };
        steps += 1;
    }
    assert_eq!(steps, 37);
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&goal), "complete");
    let asked = fs::read_to_string(project.aside.join("asked")).unwrap();
    assert_eq!(asked.matches("(skipped: not needed KEEPSAKE)").count(), 7);
}

#[test]
fn setting_the_same_plan_again_keeps_what_became_of_it() {
    let (project, _) = Project::with_goal("x");
    set(&project, "- [ ] one\n- [ ] two\n").ok();
    project.run(&["task", "complete", "1"]).ok();
    project.run(&["task", "fail", "2", "--reason", "r"]).ok();
    let again = set(&project, "- [ ] one\n- [ ] two\n").exits(4);
    assert_eq!(again.error_code(), "nothing_changes");
    set(&project, "- [ ] zero\n- [x] two\n- [ ] one\n").ok();
    let list = tree(&project)["list"].clone();
    let shown: Vec<String> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|task| format!("{} {} {}", task["id"], task["title"], task["status"]))
        .collect();
    assert_eq!(
        shown,
        [
            r#""3" "zero" "pending""#,
            r#""2" "two" "complete""#,
            r#""1" "one" "complete""#
        ]
    );
}

#[test]
fn a_plan_file_that_is_set_again_takes_nothing_from_a_definition() {
    let (project, _) = Project::with_goal("x");
    set(&project, "- [ ] one\n").ok();
    let add = [
        "task",
        "add",
        "two",
        "--done-when",
        "k",
        "--verification",
        "v",
    ];
    project.run(&add).ok();
    set(&project, "- [ ] two\n- [ ] one\n- [ ] three\n").ok();
    assert_eq!(tree(&project)["list"][0]["verificationContract"], "v");
    let refused = project.run(&["task", "complete", "2", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "task_unproved");
    // Who says more than the title says it all.
    set(&project, r#"[{"id":"2","title":"two"}]"#).ok();
    project.run(&["task", "complete", "2"]).ok();
}

#[test]
fn what_is_moot_says_what_would_make_it_needed_again() {
    let (project, _) = Project::with_goal("x");
    set(
        &project,
        r#"{"decomp":"OR","tasks":[{"title":"a"},{"title":"b"}]}"#,
    )
    .ok();
    project.run(&["task", "complete", "1"]).ok();
    for act in [&["start", "2"][..], &["reopen", "2", "--reason", "r"]] {
        let refused = project
            .run(&[&["task"], act, &["--json"]].concat())
            .exits(4);
        let message = refused.json()["error"]["message"].to_string();
        assert!(message.contains("not needed any more"), "{message}");
    }
    project.run(&["task", "reopen", "1", "--reason", "r"]).ok();
    project.run(&["task", "start", "2"]).ok();
}

#[test]
fn over_a_limit_nothing_is_written() {
    let (project, _) = Project::with_goal("x");
    project.configure("[tasks]\nmaxOpen = 4\nmaxDepth = 2\nattempts = 1\n");
    let tree = project.tree();
    for text in ["- a\n- b\n- c\n- d\n- e", "- a\n  - b\n    - c"] {
        let refused = set(&project, text).exits(5);
        assert_eq!(refused.error_code(), "over_limit", "{text}");
    }
    // The ticks of a list count as done.
    let over = set(
        &project,
        "- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n- [ ] f",
    )
    .exits(5);
    assert_eq!(over.error_code(), "over_limit");
    assert_eq!(project.tree(), tree, "nothing is written");
    set(&project, "- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e").ok();
    let more = project.run(&["task", "add", "f", "--json"]).exits(5);
    assert_eq!(more.error_code(), "over_limit");
    project.run(&["task", "fail", "2", "--reason", "r"]).ok();
    assert_eq!(status(&project, "2"), "failed", "one attempt is all");
    project.configure("[tasks]\nmaxOpen = 0\n");
    let broken = project.run(&["task", "add", "f", "--json"]).exits(5);
    assert_eq!(broken.error_code(), "config_invalid");
    project.run(&["task", "complete", "3"]).ok();
}

#[test]
fn what_cannot_be_a_task_is_refused_with_the_reason() {
    let (project, _) = Project::with_goal("x");
    let tree = project.tree();
    for (text, code, part) in [
        ("", "usage", "there is no task in it"),
        ("just words", "usage", "there is no task in it"),
        ("[{\"titel\":\"a\"}]", "usage", "unknown field `titel`"),
        ("[{\"title\":\"a\"}] and more", "usage", "trailing"),
        ("{\"tasks\":[{\"title\":1}]}", "usage", "`tasks[0].title`"),
        ("[{\"title\":\" \"}]", "invalid_task", "no title"),
        (
            "[{\"id\":\"a\",\"title\":\"a\"},{\"title\":\"b\",\"tasks\":[{\"id\":\"a\",\"title\":\"c\"}]}]",
            "invalid_task",
            "stands twice",
        ),
        (
            "[{\"title\":\"a\",\"pred\":{\"name\":\"sudo\"}}]",
            "invalid_task",
            "`sudo` is none of",
        ),
        (
            "[{\"title\":\"a\",\"doneWhen\":[{\"kind\":\"js\",\"code\":\"1\"}]}]",
            "invalid_task",
            "never run",
        ),
        (
            "[{\"title\":\"a\",\"done\":true,\"verificationContract\":\"v\"}]",
            "task_unproved",
            "asks for evidence",
        ),
    ] {
        let ran = set(&project, text);
        assert_eq!(ran.error_code(), code, "{text}: {ran}");
        let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(part), "{text}: {message}");
    }
    assert_eq!(project.tree(), tree, "nothing is written");
}

#[test]
fn a_foreign_list_changes_nothing_of_a_goal_of_ours() {
    let (project, goal) = Project::with_goal("x");
    let foreign = [
        r#""type":"task_list_set","taskCount":3,"blockCompletion":true"#,
        r#""type":"task_complete","taskId":"t1""#,
    ];
    for fields in foreign {
        project.append_line(&format!(
            r#"{{{fields},"goalId":"{goal}","at":"2026-01-01T00:00:00Z"}}"#
        ));
    }
    let seen = tree(&project);
    assert_eq!((&seen["count"], &seen["open"]), (&json!(0), &json!(0)));
    let unknown = project.run(&["task", "start", "t1", "--json"]).exits(3);
    assert_eq!(unknown.error_code(), "unknown_task");
    set(&project, "- [ ] ours\n").ok();
    assert_eq!(next(&project), ("work".into(), json!("1")));
}

#[test]
fn evidence_is_seen_below_and_forgotten_when_its_task_is_done_again() {
    let (project, _) = Project::with_goal("x");
    let asks = r#"[{"title":"both","tasks":[
        {"title":"a","doneWhen":[{"kind":"hasEvidence","key":"k"}]},
        {"title":"b","doneWhen":[{"kind":"hasEvidence","key":"k"}]}]}]"#;
    set(&project, asks).ok();
    project
        .run(&["evidence", "add", "k", "v", "--task", "1.1"])
        .ok();
    assert_eq!(
        next(&project).0,
        "ready",
        "what is given to a task is the goal's too"
    );
    project
        .run(&["task", "reopen", "1.1", "--reason", "wrong"])
        .ok();
    assert_eq!(next(&project), ("work".into(), json!("1.1")));
    assert_eq!(
        project
            .run(&["evidence", "list"])
            .ok()
            .stdout
            .lines()
            .count(),
        1
    );
    project
        .run(&["evidence", "add", "k", "{\"a\":1}", "--value-json"])
        .ok();
    let listed = project.run(&["evidence", "list", "--json"]).ok().data();
    assert_eq!(listed["evidence"][0]["value"], json!({ "a": 1 }));
    let wrong = project.run(&["evidence", "add", "k", "{", "--value-json", "--json"]);
    assert_eq!(wrong.exits(2).error_code(), "usage");
}

#[test]
fn evidence_counts_again_when_it_is_as_it_was_before() {
    let (project, _) = Project::with_goal("x");
    for value in ["fail", "pass", "fail"] {
        project.run(&["evidence", "add", "tests", value]).ok();
    }
    let listed = project.run(&["evidence", "list", "--json"]).ok().data();
    let values = listed["evidence"].as_array().unwrap().iter();
    let values: Vec<&Value> = values.map(|given| &given["value"]).collect();
    assert_eq!(values, ["fail", "pass", "fail"]);
    let keyed = ["evidence", "add", "tests", "pass", "--key", "k"];
    project.run(&keyed).ok();
    project.run(&keyed).ok();
    let given = project.events_of_type("evidence_added");
    assert_eq!(given.len(), 4, "the same request is one event");
    let has_request_key = |event: &&Value| !event["requestKey"].is_null();
    assert_eq!(given.iter().filter(has_request_key).count(), 1);
}

#[test]
fn an_id_under_another_title_is_another_task() {
    let (project, _) = Project::with_goal("x");
    let tasks = |title: &str| json!([{ "id": "x", "title": title, "verificationContract": "v" }, { "title": "y" }]);
    set(&project, &tasks("write docs").to_string()).ok();
    project.run(&["ask", "which ones?", "--task", "x"]).ok();
    project
        .run(&["evidence", "add", "k", "v", "--task", "x"])
        .ok();
    project.run(&["task", "complete", "x"]).ok();
    set(&project, &tasks(" write docs ").to_string()).exits(4);
    assert_eq!(
        status(&project, "x"),
        "complete",
        "white space is no part of a title"
    );
    set(&project, &tasks("ship to production").to_string()).ok();
    assert_eq!(status(&project, "x"), "pending");
    project.run(&["task", "complete", "x"]).exits(5);
    let given = project.run(&["evidence", "list", "--json"]).ok().data();
    assert_eq!(
        given["evidence"][0]["taskId"],
        Value::Null,
        "it is the goal's"
    );
    let asked = project.run(&["questions", "--json"]).ok().data();
    assert_eq!(asked["questions"], json!([]));
    // An agent drops no open task by giving its id to another.
    let call = project.call(&["task", "set", "-"]);
    let other = tasks("nothing to do").to_string();
    call.stdin(&other).env("GOAL_ACTOR", "agent").run().exits(5);
}

#[test]
fn a_task_that_comes_after_others_is_not_next_before_they_have_ended() {
    let (project, _) = Project::with_goal("x");
    set(&project, "- [ ] 1. build\n- [ ] 2. test\n").ok();
    let add = |title: &str, after: &str| {
        project.run(&["task", "add", title, "--under", "1", "--after", after])
    };
    add("package", "2").ok();
    assert_eq!(next(&project), ("work".into(), json!("2")));
    let stack = project.run(&["stack"]).ok().stdout;
    assert!(
        stack.starts_with("pending  2 test\nwaiting  1.1 package\n"),
        "{stack}"
    );
    let shown = project.run(&["task", "tree"]).ok().stdout;
    assert!(shown.contains("1.1 package (waits for 2)"), "{shown}");
    let circle = add("sign", "1").exits(2).stderr;
    assert!(circle.contains("1.2 after 1 after 1.2"), "{circle}");
    let unknown = add("sign", "9").exits(2).stderr;
    assert!(unknown.contains("after `9`, which is no task"), "{unknown}");
    project
        .run(&["task", "block", "2", "--reason", "no host"])
        .ok();
    project.run(&["resume"]).ok();
    let stuck = project.run(&["next"]).ok().stdout;
    assert!(
        stuck.contains("task `2` `test` is blocked (`no host`), and holds up `1.1`."),
        "{stuck}"
    );
    project.run(&["task", "skip", "2", "--reason", "r"]).ok();
    assert_eq!(next(&project), ("work".into(), json!("1.1")));
    let plan = project.run(&["task", "export"]).ok().stdout;
    let (other, _) = Project::with_goal("y");
    set(&other, &plan).ok();
    assert_eq!(tree(&other)["list"][0]["tasks"][0]["after"], json!(["2"]));
}

#[test]
fn what_a_task_comes_to_is_as_wide_as_the_terminal() {
    let (project, _) = Project::with_goal("x");
    for title in ["Read the old parser", &"Write the new grammar ".repeat(3)] {
        project.run(&["task", "add", title.trim()]).ok();
    }
    for command in [
        &["evidence", "add", "k", "v", "--task", "1"][..],
        &["task", "complete", "1"],
    ] {
        let ran = project.call(command).env("COLUMNS", "80").run().ok();
        assert!(ran.stdout.contains("Next is task"), "{ran}");
        let wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{command:?}");
    }
}
