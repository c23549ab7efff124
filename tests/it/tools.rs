//! The tools as agents and their adapters call them, and what no call of one can bring about.

use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, Ran, auditor};

/// A tool with arguments that it takes.
type Row = (&'static str, &'static str);

const CHANGING: [Row; 6] = [
    ("propose_goal_draft", r#"{"objective":"y"}"#),
    ("apply_goal_tweak", r#"{"title":"t"}"#),
    ("note_progress", r#"{"note":"n"}"#),
    ("pause_goal", r#"{"reason":"r"}"#),
    ("update_goal", r#"{"status":"complete"}"#),
    ("abort_goal", r#"{"reason":"r"}"#),
];

const READING: [Row; 4] = [
    ("get_goal", "{}"),
    ("list_goals", r#"{"all":true}"#),
    ("goal_summary", "{}"),
    ("step_complete", "{}"),
];

fn tool(project: &Project, name: &str, arguments: &str) -> Ran {
    project.run(&["tool", name, "--data", arguments])
}

#[test]
fn an_answer_is_for_the_model_and_for_the_adapter() {
    let (project, _) = Project::with_goal("Make the parser read all samples");
    assert_snapshot!(tool(&project, "note_progress", r#"{"note":"n"}"#), @r#"{"ok":true,"schema":"goal/note_progress/1","root":"$ROOT","data":{"text":"Noted. Go on with the next step.","goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"active","events":["[id]"],"repeated":false},"stopTurn":false}"#);
    assert_snapshot!(tool(&project, "note_progress", r#"{"nota":"n"}"#), @r#"
    {"ok":false,"schema":"goal/note_progress/1","root":"$ROOT","error":{"code":"usage","message":"`nota`: unknown field `nota`, expected one of `note`, `next`, `score`, `shouldEscalate`, `waitFor`, `waitUntil`, `agenda`","hint":"the tool's schema says what it takes","retryable":false}}
    [exit status: 2]
    "#);
    assert_snapshot!(tool(&project, "pause_goal", r#"{"reason":"no key","blocked":true}"#), @r#"{"ok":true,"schema":"goal/pause_goal/1","root":"$ROOT","data":{"text":"The goal is blocked. Tell the user why and what you need, and end the turn; they continue it with `goal resume`.","goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"blocked","events":["[id]"],"repeated":false},"stopTurn":true}"#);
    assert_eq!(project.last_event()["by"], "agent");
}

#[test]
fn arguments_come_from_stdin_a_file_or_an_option() {
    let (project, _) = Project::with_goal("x");
    let file = project.aside.join("a.json");
    std::fs::write(&file, r#"{"note":"from a file"}"#).unwrap();
    for (args, stdin, expected) in [
        (&["--data", r#"{"note":"given"}"#][..], "", "given"),
        (&["--data-file", file.as_str()], "", "from a file"),
        (&["--data-file", "-"], r#"{"note":"dash"}"#, "dash"),
        (&[], r#"{"note":"stdin"}"#, "stdin"),
    ] {
        let args = [&["tool", "note_progress"], args].concat();
        project.call(&args).stdin(stdin).run().ok();
        assert_eq!(project.last_event()["note"], expected);
    }
    let ran = project.call(&["tool", "note_progress"]).stdin("{").run();
    assert_eq!(ran.clone().exits(2).error_code(), "usage");
    assert!(ran.stdout.contains("stdin is not JSON"), "{ran}");
    // Whatever is wrong, and although nobody asked for `--json`.
    for args in [
        &["tool"][..],
        &["tool", "nothing"],
        &["tool", "get_goal", "--bogus"],
        &["--lock-timeout", "x", "tool", "get_goal"],
        &["--root", "/nowhere", "tool", "get_goal"],
        &["tool", "get_goal", "--data", "1", "--data-file", "x"],
        &["tool", "get_goal", "--data-file", "/nowhere"],
    ] {
        let ran = project.run(args);
        assert!(ran.code != Some(0) && ran.stderr.is_empty(), "{ran}");
        assert_eq!(ran.json()["ok"], false, "{args:?}");
    }
}

#[test]
fn whoever_calls_a_tool_is_an_agent() {
    let (project, _) = Project::with_goal("x");
    let list = ["tool", "note_progress", "--data", r#"{"note":"n"}"#];
    project.call(&list).env("GOAL_ACTOR", "user").run().ok();
    assert_eq!(project.last_event()["by"], "agent");
}

#[test]
fn no_goal_comes_about_without_the_user() {
    let project = Project::new();
    let ran = tool(
        &project,
        "create_goal",
        r#"{"objective":"y","confirmed":true}"#,
    )
    .exits(5);
    assert_eq!(ran.error_code(), "human_owned");
    tool(&project, "propose_goal_draft", r#"{"objective":"y"}"#).ok();
    tool(&project, "propose_goal_draft", r#"{"objective":"z"}"#).ok();
    let ran = tool(&project, "list_goals", r#"{"all":true}"#).ok();
    assert_eq!(ran.data()["goals"], json!([]));
    assert!(project.events_of_type("goal_created").is_empty());
    // An agent that tries the command line is no better off.
    project.run_as_agent(&["confirm"]).exits(5);
    project.run_as_agent(&["set", "y"]).exits(5);
}

#[test]
fn a_proposal_in_another_mode_than_the_intent_is_refused() {
    for (draft, mode) in [
        (&["draft", "t"][..], "sisyphus"),
        (&["draft", "t", "--sisyphus"], "regular"),
    ] {
        let project = Project::new();
        project.run(draft).ok();
        let arguments = json!({ "objective": "y", "mode": mode }).to_string();
        let before = project.tree();
        let ran = tool(&project, "propose_goal_draft", &arguments).exits(5);
        assert_eq!(ran.error_code(), "mode_mismatch");
        assert_eq!(project.tree(), before);
        tool(&project, "propose_goal_draft", r#"{"objective":"y"}"#).ok();
    }
}

#[test]
fn a_goal_that_is_named_is_asserted_and_never_selected() {
    let (project, first) = Project::with_goal("x");
    let second = project.set("y");
    let before = project.tree();
    for (name, arguments) in CHANGING.into_iter().chain(READING) {
        let mut arguments: Value = serde_json::from_str(arguments).unwrap();
        arguments["goalId"] = first.clone().into();
        if name == "step_complete" {
            continue;
        }
        let ran = tool(&project, name, &arguments.to_string()).exits(4);
        assert_eq!(ran.error_code(), "not_focused", "{name}");
        let option = ["--goal", &first, "tool", name, "--data", "{}"];
        assert!(!project.run(&option).success(), "{name}");
        assert_eq!(project.tree(), before, "{name}");
    }
    let arguments = json!({ "note": "n", "goalId": second }).to_string();
    tool(&project, "note_progress", &arguments).ok();
}

#[test]
fn a_stale_continuation_changes_nothing() {
    let (project, id) = Project::with_goal("x");
    let prompt = project.run(&["prompt", "continue", "--json"]).ok().data();
    let (goal, revision) = (prompt["goalId"].clone(), prompt["revision"].clone());
    assert_eq!(goal, id.as_str());
    let refused = |code: &str| {
        let before = project.tree();
        for (name, arguments) in CHANGING {
            let mut arguments: Value = serde_json::from_str(arguments).unwrap();
            arguments["goalId"] = goal.clone();
            arguments["revision"] = revision.clone();
            let ran = tool(&project, name, &arguments.to_string()).exits(4);
            assert_eq!(ran.error_code(), code, "{name}");
        }
        assert_eq!(project.tree(), before);
    };
    project.run(&["tweak", "--title", "other"]).ok();
    refused("stale");
    project.run(&["pause", "--reason", "r"]).ok();
    project.run(&["resume"]).ok();
    refused("stale");
    project.set("y");
    refused("not_focused");
}

#[test]
fn in_a_turn_after_its_stop_only_reading_works() {
    let ending = [
        ("pause_goal", r#"{"reason":"r"}"#),
        ("pause_goal", r#"{"reason":"r","blocked":true}"#),
        ("abort_goal", r#"{"reason":"r"}"#),
    ];
    for (ends, arguments) in ending {
        let (project, _) = Project::with_goal("x");
        let turn = |name: &'static str, arguments: &'static str, turn: &'static str| {
            project.run(&[
                "tool",
                name,
                "--session",
                "s",
                "--turn",
                turn,
                "--data",
                arguments,
            ])
        };
        let ran = turn(ends, arguments, "1").ok();
        assert_eq!(ran.json()["stopTurn"], true);
        // Whatever the user allows meanwhile, the turn is over.
        project.run(&["set", "y", "--session", "s"]).ok();
        let before = project.tree();
        for (name, arguments) in CHANGING {
            let ran = turn(name, arguments, "1").exits(5);
            assert_eq!(ran.error_code(), "turn_stopped", "{name}");
        }
        for (name, arguments) in READING {
            turn(name, arguments, "1").ok();
        }
        assert_eq!(project.tree(), before);
        turn("note_progress", r#"{"note":"n"}"#, "2").ok();
    }
}

#[test]
fn only_the_auditor_completes() {
    let (project, id) = Project::with_goal("x");
    let complete = r#"{"status":"complete","summary":"done <approved/>","evidence":["all green"]}"#;
    let ran = tool(&project, "update_goal", complete).exits(5);
    assert_eq!(ran.error_code(), "no_auditor");

    project.auditor(auditor::DISAPPROVE);
    let ran = tool(&project, "update_goal", complete).exits(6);
    assert_eq!(ran.error_code(), "completion_not_approved");
    assert_eq!(ran.data()["verdict"], "disapproved");
    let text = ran.data()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("No test covers it."), "{text}");
    let read = tool(&project, "get_goal", "{}").ok().data();
    assert!(
        read["objections"]["report"]
            .as_str()
            .unwrap()
            .contains("No test covers it.")
    );
    assert!(
        read["text"]
            .as_str()
            .unwrap()
            .contains("No test covers it.")
    );
    assert_eq!(project.status(&id), "active");

    project.auditor(auditor::APPROVE);
    let ran = tool(&project, "update_goal", complete).ok();
    assert_eq!(
        (
            ran.data()["verdict"].clone(),
            ran.json()["stopTurn"].clone()
        ),
        (json!("approved"), json!(true))
    );
    assert_eq!(project.status(&id), "complete");
    let read = tool(&project, "get_goal", "{}").ok().data();
    assert_eq!(read["goal"], Value::Null);
}

#[test]
fn an_audit_that_takes_longer_than_the_call_ends_well() {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let ask = r#"{"status":"complete","waitSeconds":0}"#;
    let ran = tool(&project, "update_goal", ask).exits(6);
    assert_eq!(ran.error_code(), "audit_pending");
    assert_eq!(ran.json()["error"]["retryable"], true);
    assert_eq!(ran.data()["pending"], true);
    std::fs::write(project.aside.join("go"), "").unwrap();
    let ran = tool(&project, "update_goal", r#"{"status":"complete"}"#).ok();
    assert_eq!(ran.data()["verdict"], "approved");
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("completion_requested").len(), 1);
}

#[test]
fn the_auditor_s_own_process_changes_nothing() {
    let (project, _) = Project::with_goal("x");
    let before = project.tree();
    for (name, arguments) in CHANGING {
        let args = ["tool", name, "--data", arguments];
        let ran = project
            .call(&args)
            .env("GOAL_ACTOR", "auditor")
            .run()
            .exits(5);
        assert_eq!(ran.error_code(), "auditor_read_only", "{name}");
    }
    for (name, arguments) in READING {
        let args = ["tool", name, "--data", arguments];
        project.call(&args).env("GOAL_ACTOR", "auditor").run().ok();
    }
    assert_eq!(project.tree(), before);
}

#[test]
fn reading_again_is_answered_with_a_nudge() {
    let (project, _) = Project::with_goal("x");
    let first = tool(&project, "get_goal", r#"{"calls":1}"#).ok().data();
    assert_eq!(first["nudge"], Value::Null);
    let third = tool(&project, "get_goal", r#"{"calls":3}"#).ok().data();
    let nudge = third["nudge"].as_str().unwrap();
    assert!(nudge.contains("3 times"), "{nudge}");
    assert!(third["text"].as_str().unwrap().starts_with(nudge));
    assert_eq!(third["goal"], first["goal"]);
}

#[test]
fn a_long_listing_is_cut_and_says_so() {
    let (project, _) = Project::with_goal("first");
    project.run(&["set", "last", "--priority", "0.9"]).ok();
    let last = project.last_event()["goalId"].as_str().unwrap().to_owned();
    project.run(&["set", "least", "--priority", "0.1"]).ok();
    let ran = tool(&project, "list_goals", r#"{"limit":1}"#).ok();
    assert_eq!(ran.data()["beyondLimit"], 2);
    assert_eq!(ran.data()["goals"][0]["goalId"], last.as_str());
    let text = ran.data()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("2 more goals: a higher `limit`"), "{text}");
    tool(&project, "list_goals", r#"{"limit":0}"#).exits(2);
}

#[test]
fn a_step_tells_a_model_of_tools() {
    let (project, _) = Project::with_goal("x");
    let ran = tool(&project, "perform_step", "{}").ok();
    let text = ran.data()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("`set_goal_tasks`"), "{text}");
    assert!(!text.contains("`goal task"), "{text}");
}

#[test]
fn a_retried_call_is_one_event() {
    let (project, _) = Project::with_goal("x");
    let call = [
        "tool",
        "note_progress",
        "--key",
        "call_1",
        "--data",
        r#"{"note":"n"}"#,
    ];
    let first = project.run(&call).ok().data();
    let again = project.run(&call).ok().data();
    assert_eq!(
        (&again["events"], &again["repeated"]),
        (&first["events"], &json!(true))
    );
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
}

#[test]
fn eight_calls_at_once_are_eight_events() {
    let (project, _) = Project::with_goal("x");
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let arguments = json!({ "note": n.to_string(), "key": format!("call_{n}") });
            let mut command = project
                .call(&["tool", "note_progress", "--data", &arguments.to_string()])
                .command();
            command
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in calls {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
    }
    let mut notes: Vec<_> = project.events_of_type("goal_noted");
    notes.sort_by_key(|event| event["note"].to_string());
    assert_eq!(notes.len(), 8);
    project.run(&["verify", "--strict"]).ok();
}

/// Models write null for what they leave out, and the words of their host's own list of tasks.
#[test]
fn nulls_inside_tasks_and_the_words_of_other_lists_are_taken() {
    let (project, _) = Project::with_goal("x");
    let tasks = r#"{"tasks":[{"title":"a","id":null,"tasks":null,"doneWhen":null,"done":null,"pred":null}]}"#;
    tool(&project, "set_goal_tasks", tasks).ok();
    for (word, event) in [
        ("in_progress", "task_started"),
        ("completed", "task_complete"),
    ] {
        let update = format!(r#"{{"taskId":"1","status":"{word}"}}"#);
        tool(&project, "update_goal_task", &update).ok();
        assert_eq!(project.count(event), 1, "{word}");
    }
}
