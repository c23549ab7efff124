//! Owners with their places, goals that are handed on, what work cost and may cost: as the commands
//! do it, with what a person reads of it.

use insta::assert_snapshot;
use serde_json::Value;

use crate::support::{Project, Ran, auditor};

/// Goals of Ann with these priorities; their ids.
fn of_ann(project: &Project, priorities: &[&str]) -> Vec<String> {
    let set = |priority: &&str| {
        let objective = format!("goal at {priority}");
        let args = ["set", &objective, "--owner", "ann", "--priority", priority];
        id(&project.run(&[&args[..], &["--json"]].concat()).ok())
    };
    priorities.iter().map(set).collect()
}

fn id(ran: &Ran) -> String {
    ran.data()["goalId"].as_str().unwrap().to_owned()
}

/// The types of the events after so many.
fn types_after(project: &Project, count: usize) -> Vec<String> {
    let events = project.events().into_iter().skip(count);
    events
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn who_outranks_the_lowest_takes_its_place_in_one_write() {
    let project = Project::new();
    let goals = of_ann(&project, &["0.9", "0.5", "0.7"]);
    let tree = project.tree();
    let fourth = ["set", "x", "--owner", "ann"];
    assert_snapshot!(project.run(&fourth), @r"
    ------- stderr -------
    error: ann already has all 3 active goals that are allowed, and priority 0.5 is not higher than 0.5, that of goal mjuohsrs-r8rvzl
      pause one of the goals (`goal pause --goal mjuohsrs-r8rvzl`), give this one a higher --priority or another owner, or allow more in the configuration ([owners] slots)
    [exit status: 5]
    ");
    assert_eq!(project.tree(), tree, "nothing is written");
    let count = project.events().len();
    let higher = [&fourth[..], &["--priority", "0.6"]].concat();
    assert_snapshot!(project.run(&higher), @r"
    Created and focused goal mjuohv34-mnm9t7 (revision [id]…).
    ------- stderr -------
    note: goal mjuohsrs-r8rvzl is paused: it gave its place to goal mjuohv34-mnm9t7, which outranks it (priority 0.6 against 0.5); all places of ann were taken (slots: 3)
      `goal resume --goal mjuohsrs-r8rvzl` once its owner has a free place
    note: no auditor is configured, and without one the goal cannot be completed
      `goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or ./SCRIPT
    ");
    let types = ["goal_created", "goal_focused", "goal_paused"];
    assert_eq!(types_after(&project, count), types);
    let paused = project.last_event();
    assert_eq!(paused["by"], "system");
    assert_eq!(paused["source"], "slots");
    assert_eq!(project.status(&goals[1]), "paused");
    // The document says so as well, and going on is a claim of its own.
    assert_snapshot!(project.run(&["resume", "--goal", &goals[1]]), @r"
    ------- stderr -------
    error: ann already has all 3 active goals that are allowed, and priority 0.5 is not higher than 0.6, that of goal mjuohv34-mnm9t7
      pause one of the goals (`goal pause --goal mjuohv34-mnm9t7`), give this one a higher --priority or another owner, or allow more in the configuration ([owners] slots)
    [exit status: 5]
    ");
    project.run(&["abort", "--reason", "r"]).ok();
    project.run(&["resume", "--goal", &goals[1]]).ok();
    assert_eq!(project.status(&goals[1]), "active");
}

#[test]
fn how_many_places_there_are_is_configured() {
    let project = Project::new();
    project.configure("[owners]\nslots = 1\n");
    of_ann(&project, &["0.5"]);
    let second = ["set", "x", "--owner", "ann", "--json"];
    assert_eq!(project.run(&second).exits(5).error_code(), "no_slot");
    let config = project.run(&["config", "--json"]).ok().data();
    assert_eq!(config["slots"]["most"], 1);
    assert_eq!(config["slots"]["source"], "user");
    for wrong in ["slots = 0", "slots = 1001", "slots = \"3\"", "places = 3"] {
        project.configure(&format!("[owners]\n{wrong}\n"));
        assert_eq!(project.run(&second).exits(5).error_code(), "config_invalid");
        // In the way of nobody who needs no places.
        project.run(&["set", "without an owner"]).ok();
    }
}

#[test]
fn a_part_is_handed_on_and_its_completion_is_evidence() {
    let (project, parent) = Project::with_goal("Ship it");
    project.run(&["tweak", "--owner", "ann"]).ok();
    let delegate = ["delegate", "--to", "ben", "Write the guide", "--json"];
    let handed = project.run(&delegate).ok();
    let child = id(&handed);
    assert_eq!(handed.data()["parentGoalId"], parent);
    let created = &project.events_of_type("goal_created")[1];
    assert_eq!(created["parentGoalId"], parent);
    assert_eq!(created["delegatedFrom"], "ann");
    let shown = project.run(&["show", "--json"]).ok().data();
    let shown = &shown["goal"];
    assert_eq!(shown["goalId"], parent, "the focus stays");
    assert_eq!(shown["delegated"][0]["goalId"], child);
    let wait = format!("completed.{child}");
    project
        .run(&["task", "add", "wait", "--done-when", &wait])
        .ok();

    project.auditor(auditor::APPROVE);
    let done = ["complete", "--goal", &child, "--evidence", "it is there"];
    project.run(&done).ok();
    let count = project.events().len();
    let last: Vec<String> = types_after(&project, count - 4);
    let expected = [
        "audit_result",
        "goal_completed",
        "evidence_added",
        "usage_recorded",
    ];
    assert_eq!(last, expected);
    let given = project.last_event();
    assert_eq!(given["goalId"], parent);
    assert_eq!(given["key"], wait);
    assert_eq!(given["source"], format!("goal:{child}"));
    assert_eq!(given["by"], "system");
    let next = project.run(&["next", "--json"]).ok().data();
    assert_eq!(next["kind"], "ready", "{next}");
    let owed = project.run(&["commitments", "--json"]).ok().data();
    assert_eq!(owed["commitments"], serde_json::json!([]));
    let all = project.run(&["commitments", "--all", "--json"]).ok().data();
    assert_eq!(all["commitments"][0]["owedBy"], "ben");
    assert_eq!(all["commitments"][0]["owedTo"], "ann");
    assert_eq!(all["commitments"][0]["status"], "complete");
    let verified = project.run(&["verify"]);
    assert!(verified.success(), "{verified}");
}

#[test]
fn an_agents_delegation_is_a_draft() {
    let (project, parent) = Project::with_goal("Ship it");
    let arguments = r#"{"to":"ben","objective":"Write the guide"}"#;
    let call = ["tool", "delegate_goal", "--data", arguments];
    let proposed = project.run_as_agent(&call).ok().data();
    assert_eq!(proposed["applied"], false);
    assert_eq!(proposed["parentGoalId"], parent);
    assert_eq!(project.events_of_type("goal_created").len(), 1);
    let drafts = project.run(&["drafts", "--json"]).ok().data();
    assert_eq!(drafts["drafts"][0]["parentGoalId"], parent);
    let confirmed = project.confirm().ok();
    assert!(
        confirmed.stdout.starts_with("Handed on as goal "),
        "{confirmed}"
    );
    let table = project.run(&["commitments"]).ok().stdout;
    assert!(table.contains("ben  user"), "{table}");
}

#[test]
fn what_is_recorded_is_summed_up() {
    let (project, _) = Project::with_goal("Count it");
    project.run(&["task", "add", "one"]).ok();
    let add = ["usage", "add", "--task", "1", "--model", "m"];
    let counted = [
        "--tokens-in",
        "1200",
        "--tokens-out",
        "80",
        "--cost-usd",
        "0.1",
    ];
    for _ in 0..3 {
        project.run(&[&add[..], &counted].concat()).ok();
    }
    project.run(&["tweak", "--owner", "ann"]).ok();
    project
        .run(&["usage", "add", "--counter", "llmCalls=1"])
        .ok();
    let report = |by: &str| {
        let ran = project.run(&["usage", "report", "--by", by, "--json"]).ok();
        ran.data()
    };
    let rows = |by: &str| report(by)["rows"].as_array().unwrap().clone();
    assert_eq!(
        report("goal")["total"]["costUsd"],
        0.3,
        "not 0.30000000000000004"
    );
    assert_eq!(rows("goal")[0]["counters"]["tokensIn"], 3600.0);
    let names =
        |rows: &[Value]| -> Vec<Value> { rows.iter().map(|row| row["name"].clone()).collect() };
    assert_eq!(names(&rows("task")), [Value::Null, "1".into()]);
    assert_eq!(names(&rows("owner")), [Value::Null, "ann".into()]);
    assert_eq!(rows("day").len(), 1);
    // As an agent's tool records it, once a request key.
    let again = ["usage", "add", "--counter", "llmCalls=1", "--key", "k"];
    project.run_as_agent(&again).ok();
    project.run_as_agent(&again).ok();
    assert_eq!(report("goal")["total"]["llmCalls"], 2.0);
}

#[test]
fn going_over_the_users_budget_pauses_before_the_next_step() {
    let (project, goal) = Project::with_goal("Spend it");
    let standard = project.run(&["budget", "--standard", "--json"]).ok().data();
    assert_eq!(standard["limits"].as_array().unwrap().len(), 4);
    let calls = |number: u32| {
        let counter = format!("llmCalls={number}");
        project.run_as_agent(&["usage", "add", "--counter", &counter, "--json"])
    };
    assert_eq!(calls(200).ok().json()["stopTurn"], false);
    assert_eq!(project.status(&goal), "active", "the limit is within");
    let over = calls(1).ok();
    assert_eq!(over.json()["stopTurn"], true);
    assert_eq!(over.data()["status"], "paused");
    let paused = project.last_event();
    assert_eq!(paused["source"], "budget");
    assert_eq!(paused["by"], "system");
    let refused = project.run(&["resume", "--json"]);
    assert_eq!(refused.exits(5).error_code(), "over_budget");
    project.run(&["budget", "--max-llm-calls", "201"]).ok();
    project.run(&["resume"]).ok();
    assert_eq!(calls(1).ok().data()["status"], "paused");
    project.run(&["budget", "--clear"]).ok();
    project.run(&["resume"]).ok();
    assert_eq!(calls(1_000_000).ok().data()["status"], "active");
}

#[test]
fn what_others_recorded_is_judged_before_a_step_and_before_going_on() {
    let spent = |goal: &str| {
        format!(
            r#"{{"type":"usage_recorded","goalId":"{goal}","counters":{{"llmCalls":9}},"at":"2026-11-21T20:15:00.000Z"}}"#
        )
    };
    let prepared = || {
        let (project, goal) = Project::with_goal("Spend it");
        project.run(&["task", "add", "one"]).ok();
        project.run(&["budget", "--max-llm-calls", "8"]).ok();
        project.append_line(&spent(&goal));
        (project, goal)
    };
    let (project, goal) = prepared();
    let stepped = project.run(&["step", "--json"]).ok();
    assert_eq!(stepped.json()["stopTurn"], true);
    let stepped = stepped.data();
    assert_eq!(stepped["did"], "nothing");
    assert_eq!(stepped["waitsFor"], "resume");
    assert_eq!(
        stepped["reason"],
        "over budget: 9 of 8 model calls (maxLlmCalls)"
    );
    assert_eq!(project.status(&goal), "paused");

    let (project, goal) = prepared();
    project.run(&["note", "begun", "--session", "s"]).ok();
    let input = r#"{"session_id":"s","hook_event_name":"Stop","stop_hook_active":false}"#;
    let stopped = project.call(&["hook", "stop"]).stdin(input).run().ok();
    assert!(
        stopped.stdout.contains("is paused: over budget"),
        "{stopped}"
    );
    assert_eq!(project.status(&goal), "paused");
    assert_eq!(project.events_of_type("goal_continued"), [] as [Value; 0]);
}

#[test]
fn a_priority_below_0_is_refused_as_one_above_1_is() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    for wrong in ["-0.1", "1.01", "-1", "-1e300"] {
        for args in [&["set", "y"][..], &["tweak"]] {
            let args = [args, &["--priority", wrong, "--json"]].concat();
            let ran = project.run(&args).exits(2);
            assert_eq!(ran.error_code(), "invalid_field", "{wrong}: {ran}");
            assert!(
                ran.json()["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("is not from 0 to 1"),
                "{ran}"
            );
        }
    }
    assert_eq!(project.ledger(), before);
}

#[test]
fn goals_of_higher_priority_are_listed_first() {
    let project = Project::new();
    for (objective, priority) in [
        ("low", Some("0.2")),
        ("none", None),
        ("high", Some("0.9")),
        ("none too", None),
        ("middle", Some("0.5")),
    ] {
        let priority = priority.map_or(vec![], |it| vec!["--priority", it]);
        project
            .run(&[&["set", objective][..], &priority].concat())
            .ok();
    }
    let listed = |project: &Project| {
        let goals = project.run(&["list", "--json"]).data()["goals"].clone();
        let goals = goals.as_array().unwrap().clone();
        let row = |it: &serde_json::Value| {
            let objective = it["objective"].as_str().unwrap().to_owned();
            (objective, it["priority"].as_f64())
        };
        goals.iter().map(row).collect::<Vec<_>>()
    };
    let expected = [
        ("high", Some(0.9)),
        ("none", None),
        ("none too", None),
        ("middle", Some(0.5)),
        ("low", Some(0.2)),
    ];
    let expected = expected.map(|(it, priority)| (it.to_owned(), priority));
    assert_eq!(listed(&project), expected);
    // What waits for the user stands before that, in JSON as in text.
    let quiet = project.run(&["list", "--json"]).data()["goals"][4]["goalId"].clone();
    let question = ["ask", "?", "--goal", quiet.as_str().unwrap()];
    project.run(&question).ok();
    assert_eq!(listed(&project)[0], expected[4]);
}

#[test]
fn json_lists_as_many_goals_as_the_text() {
    let project = Project::new();
    for number in 0..52 {
        project.run(&["set", &format!("goal {number}")]).ok();
    }
    let listed = |args: &[&str]| {
        project
            .run(&[&["list", "--json"], args].concat())
            .ok()
            .data()
    };
    let usual = listed(&[]);
    assert_eq!(usual["goals"].as_array().unwrap().len(), 50);
    assert_eq!(usual["beyondLimit"], 2);
    let text = project.run(&["list"]).ok().stdout;
    assert!(
        text.contains("2 more goals: `goal list --limit 0` shows all"),
        "{text}"
    );
    let all = listed(&["--limit", "0"]);
    assert_eq!(all["goals"].as_array().unwrap().len(), 52);
    assert_eq!(all["beyondLimit"], serde_json::Value::Null);
}
