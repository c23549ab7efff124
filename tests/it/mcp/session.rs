//! A session as it goes on: calls at once, long calls, calls that are cancelled, servers that are
//! killed, and lines that are no messages.

use std::fs;

use serde_json::json;

use super::client::Client;
use super::{code, text, verdict};
use crate::support::Project;
use crate::support::auditor::{DISAPPROVE, WAIT_AND_APPROVE};
use crate::support::lines::{event_id, lines};
use crate::support::wait::until;

#[test]
fn eight_calls_at_once_are_eight_events() {
    let (project, id) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let begun: Vec<i64> = (0..8)
        .map(|n| client.begin("note_progress", json!({ "note": format!("note {n}") })))
        .collect();
    for id in begun {
        assert_eq!(client.result(id)["isError"], false);
    }
    client.close();
    let notes = project.events_of_type("goal_noted");
    let mut texts: Vec<_> = notes.iter().map(|note| note["note"].to_string()).collect();
    texts.sort();
    assert_eq!(
        texts,
        (0..8).map(|n| format!("\"note {n}\"")).collect::<Vec<_>>()
    );
    assert!(notes.iter().all(|note| note["goalId"] == id.as_str()));
    project.run(&["verify", "--strict"]).ok();
}

/// None of them has any time to wait for another process, and none has to: they are of one server.
#[test]
fn calls_of_one_server_change_the_ledger_in_turn() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::start_with(&project, &["--lock-timeout", "0"], &[]);
    client.initialize("2025-06-18", &json!({}));
    let begun: Vec<i64> = (0..200)
        .map(|n| client.begin("note_progress", json!({ "note": format!("note {n}") })))
        .collect();
    for id in begun {
        let noted = client.result(id);
        assert_eq!(noted["isError"], false, "{noted}");
    }
    client.close();
    assert_eq!(project.events_of_type("goal_noted").len(), 200);
    project.run(&["verify", "--strict"]).ok();
}

/// Who waits for another process waits as long as a command would, and not once for each call that
/// stands before it.
#[test]
fn calls_of_one_server_give_up_together_on_another_process() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::start_with(&project, &["--lock-timeout", "0.5"], &[]);
    client.initialize("2025-06-18", &json!({}));
    let held = fs::File::open(project.goals("")).unwrap();
    fs2::FileExt::lock_exclusive(&held).unwrap();
    let begun: Vec<i64> = (0..200)
        .map(|n| client.begin("note_progress", json!({ "note": format!("{n}") })))
        .collect();
    // Reading waits for nobody.
    assert_eq!(client.call("get_goal", json!({}))["isError"], false);
    for id in begun {
        let refused = client.result(id);
        assert_eq!(code(&refused), "lock_timeout");
        assert!(text(&refused).contains("more than 500 ms"), "{refused}");
    }
    drop(held);
    let noted = client.call("note_progress", json!({ "note": "n" }));
    assert_eq!(noted["isError"], false, "{noted}");
    client.close();
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
}

#[test]
fn a_ledger_that_is_missing_is_said_to_be() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let noticed = |result: &serde_json::Value| {
        result["_meta"]["goal-ledger/receipt"]["notices"][0]["code"].clone()
    };
    let there = client.call("list_goals", json!({}));
    assert_eq!(noticed(&there), serde_json::Value::Null);
    fs::remove_file(project.ledger_path()).unwrap();
    for tool in ["list_goals", "get_goal", "goal_summary"] {
        let read = client.call(tool, json!({}));
        assert_eq!(read["isError"], false, "{read}");
        assert_eq!(noticed(&read), "ledger_missing");
        assert!(text(&read).contains("\nnote: the ledger "), "{read}");
        assert!(text(&read).contains("is missing"), "{read}");
    }
    let refused = client.call("note_progress", json!({ "note": "n" }));
    assert_eq!(code(&refused), "ledger_missing");
    client.close();
}

#[test]
fn an_audit_holds_up_no_other_call_and_outlives_its_caller() {
    let (project, id) = Project::with_goal("x");
    project.auditor(WAIT_AND_APPROVE);
    let mut client = Client::new(&project);
    let asked = json!({ "status": "complete", "summary": "s" });
    let first = client.begin("update_goal", asked.clone());
    until("the audit runs", || project.started() == 1);
    // Both are answered while the audit waits for the word that only this test says.
    assert_eq!(client.call("get_goal", json!({}))["isError"], false);
    assert_eq!(client.call("list_goals", json!({}))["isError"], false);
    assert!(!client.has_answered(first));
    let mut impatient = asked.clone();
    impatient["waitSeconds"] = 0.into();
    let pending = client.call("update_goal", impatient);
    assert_eq!(verdict(&pending), "audit_pending", "{pending}");
    assert!(text(&pending).contains("still running"), "{pending}");
    assert_eq!(pending["structuredContent"]["pending"], true);
    client.kill();

    project.go();
    until("the verdict is recorded", || {
        project.status(&id) == "complete"
    });
    let mut client = Client::new(&project);
    let told = client.call("update_goal", asked);
    assert_eq!(told["isError"], false, "{told}");
    assert!(text(&told).contains("approved"), "{told}");
    client.close();
    assert_eq!(project.started(), 1);
}

#[test]
fn a_cancelled_call_leaves_the_ledger_whole() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    for n in 0..20 {
        let id = client.begin("note_progress", json!({ "note": format!("{n}") }));
        client.notify(
            "notifications/cancelled",
            json!({ "requestId": id, "reason": "r" }),
        );
    }
    let last = client.call("note_progress", json!({ "note": "last" }));
    assert_eq!(last["isError"], false);
    // Closing waits for what was begun.
    client.close();
    assert!(project.ledger().ends_with(b"\n"));
    assert!(project.events_of_type("goal_noted").len() <= 21);
    project.run(&["verify", "--strict"]).ok();
    project.run(&["doctor"]).ok();
}

#[test]
fn a_server_killed_at_any_moment_loses_nothing_it_answered() {
    let (project, _) = Project::with_goal("x");
    let mut answered = Vec::new();
    for round in 0..12 {
        let mut client = Client::new(&project);
        let begun: Vec<i64> = (0..8)
            .map(|n| client.begin("note_progress", json!({ "note": format!("{round}.{n}") })))
            .collect();
        // Each round lets another number of calls be answered before the end.
        for id in begun.into_iter().take(round % 9) {
            let receipt = client.result(id);
            answered.push(receipt["structuredContent"]["events"][0].clone());
        }
        client.kill();
    }
    project.run(&["note", "the next one heals"]).ok();
    // A kill within a write leaves a torn line, which was never answered.
    for finding in project.verified().findings() {
        let code = finding["code"].as_str().unwrap();
        assert!(
            ["malformed_line", "unlinked_line"].contains(&code),
            "{finding}"
        );
    }
    let mut recorded: Vec<String> = lines(&project.ledger()).map(event_id).collect();
    recorded.retain(|id| answered.iter().any(|it| it == id));
    assert_eq!((answered.len(), recorded.len()), (39, 39));
}

#[test]
fn every_call_sees_the_project_as_it_is_then() {
    let (project, id) = Project::with_goal("first");
    let mut client = Client::new(&project);
    let mut focused = || {
        let result = client.call("get_goal", json!({}));
        result["structuredContent"]["focusedGoalId"].clone()
    };
    assert_eq!(focused(), id.as_str());
    let second = project.set("second");
    assert_eq!(focused(), second.as_str());
    project.run(&["focus", &id]).ok();
    assert_eq!(focused(), id.as_str());
    let aside = project.aside.join("taken away");
    fs::rename(project.goals(""), &aside).unwrap();
    assert_eq!(focused(), serde_json::Value::Null);
    fs::rename(&aside, project.goals("")).unwrap();
    assert_eq!(focused(), id.as_str());
    project.auditor(DISAPPROVE);
    let judged = client.call("update_goal", json!({ "status": "complete" }));
    assert_eq!(verdict(&judged), "completion_not_approved");
    client.close();
}

#[test]
fn a_client_that_says_nothing_or_nonsense_is_told_so_on_stderr_only() {
    let project = Project::new();
    for input in [
        "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    ] {
        let ran = project.call(&["mcp"]).stdin(input).run().exits(2);
        assert_eq!(ran.stdout, "", "{ran}");
        assert!(ran.stderr.contains("no session was opened"), "{ran}");
    }
}

#[test]
fn options_of_one_call_are_refused() {
    let (project, id) = Project::with_goal("x");
    for option in ["--goal", "--turn", "--key", "--expect-goal"] {
        let ran = project.run(&["mcp", option, &id]).exits(2);
        assert!(
            ran.stdout.is_empty() && ran.stderr.contains(option),
            "{ran}"
        );
    }
}

#[test]
fn where_no_turn_is_named_nothing_changes_after_a_stop_until_the_goal_is_read() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let note = json!({ "note": "n" });
    client.call("pause_goal", json!({ "reason": "r" }));
    let refused = client.call("note_progress", note.clone());
    assert_eq!(code(&refused), "turn_stopped", "{refused}");
    client.call("goal_summary", json!({}));
    assert_eq!(
        code(&client.call("note_progress", note.clone())),
        "turn_stopped"
    );
    client.call("get_goal", json!({}));
    assert_eq!(client.call("note_progress", note)["isError"], false);
    client.close();
}
