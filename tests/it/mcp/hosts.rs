//! Who calls: what hosts send beside the arguments, and what the server's surroundings say.

use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use super::{code, text};
use crate::support::Project;

/// A call as Codex makes it in a turn.
fn in_turn(client: &mut Client, turn: &str, tool: &str, arguments: Value) -> Value {
    let meta = json!({ "x-codex-turn-metadata": { "session_id": "S", "turn_id": turn } });
    let id = client.send(
        "tools/call",
        json!({ "name": tool, "arguments": arguments, "_meta": meta }),
    );
    client.result(id)
}

#[test]
fn session_turn_and_client_stand_in_the_ledger() {
    let (project, _) = Project::with_goal("x");
    for revision in ["2025-06-18", "2025-11-25", NEWEST] {
        let mut client = Client::open(&project, revision, &json!({}));
        in_turn(
            &mut client,
            "T",
            "note_progress",
            json!({ "note": revision }),
        );
        client.close();
        let event = project.last_event();
        assert_eq!(event["note"], revision);
        assert_eq!(event["by"], "agent");
        assert_eq!(event["session"], "S");
        assert_eq!(event["turn"], "T");
        assert_eq!(event["via"], "a client");
    }
}

#[test]
fn a_mark_in_the_environment_names_the_host() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::start(&project, &[("AI_AGENT", "pi")]);
    let clients = json!({ "name": "other", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": clients });
    client.request("initialize", hello);
    client.call("note_progress", json!({ "note": "n" }));
    client.close();
    let event = project.last_event();
    assert_eq!(event["via"], "pi");
    assert!(event.get("session").is_none() && event.get("turn").is_none());
}

#[test]
fn a_turn_that_ended_changes_nothing_more() {
    let (project, id) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let paused = in_turn(&mut client, "1", "pause_goal", json!({ "reason": "r" }));
    assert_eq!(paused["_meta"]["goal-ledger/receipt"]["stopTurn"], true);
    project.run(&["resume"]).ok();
    in_turn(&mut client, "1", "get_goal", json!({}));
    let refused = in_turn(&mut client, "1", "note_progress", json!({ "note": "n" }));
    assert_eq!(code(&refused), "turn_stopped", "{refused}");
    assert_eq!(
        in_turn(&mut client, "1", "get_goal", json!({}))["isError"],
        false
    );
    let noted = in_turn(&mut client, "2", "note_progress", json!({ "note": "n" }));
    assert_eq!(noted["isError"], false);
    client.close();
    assert_eq!(project.status(&id), "active");
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
}

#[test]
fn reading_again_in_a_turn_is_counted_for_the_model() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let mut nudge = |turn: &str, arguments: Value| {
        let read = in_turn(&mut client, turn, "get_goal", arguments);
        read["structuredContent"]["nudge"].is_string()
    };
    let read: Vec<bool> = (0..4).map(|_| nudge("1", json!({}))).collect();
    assert!(!read[0] && read[3], "{read:?}");
    assert!(!nudge("2", json!({})));
    assert!(nudge("3", json!({ "calls": 9 })));
    for _ in 0..4 {
        let read = client.call("get_goal", json!({}));
        assert!(read["structuredContent"]["nudge"].is_null(), "{read}");
    }
    client.close();
}

#[test]
fn ids_that_cannot_stand_in_the_ledger_are_refused() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    let mut client = Client::new(&project);
    for turn in ["", "a\nb", "\u{1b}[31m", &"x".repeat(300)] {
        let refused = in_turn(&mut client, turn, "note_progress", json!({ "note": "n" }));
        assert_eq!(code(&refused), "usage", "{refused}");
        assert!(text(&refused).contains("turn_id"), "{refused}");
    }
    client.close();
    assert_eq!(project.ledger(), before);
}

#[test]
fn an_agent_neither_creates_nor_chooses_a_goal() {
    let (project, first) = Project::with_goal("first");
    project.set("second");
    let before = project.ledger();
    let mut client = Client::new(&project);
    let created = client.call("create_goal", json!({ "objective": "o" }));
    assert_eq!(code(&created), "human_owned");
    for (tool, arguments) in [
        ("note_progress", json!({ "note": "n", "goalId": first })),
        ("pause_goal", json!({ "reason": "r", "goalId": first })),
        ("abort_goal", json!({ "reason": "r", "goalId": first })),
        (
            "update_goal",
            json!({ "status": "complete", "goalId": first }),
        ),
    ] {
        project.auditor(crate::support::auditor::APPROVE);
        let refused = client.call(tool, arguments);
        assert_eq!(code(&refused), "not_focused", "{tool}: {refused}");
    }
    let stale = json!({ "note": "n", "revision": "0".repeat(32) });
    assert_eq!(code(&client.call("note_progress", stale)), "stale");
    client.close();
    assert_eq!(project.ledger(), before);
}

#[test]
fn an_auditor_sees_and_calls_only_what_reads() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    let mut client = Client::start(&project, &[("GOAL_ACTOR", "auditor")]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": {} },
        "clientInfo": super::client::implementation(),
    });
    client.request("initialize", hello);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == true)
    );
    assert!(tools.iter().any(|tool| tool["name"] == "get_goal"));
    assert_eq!(client.call("get_goal", json!({}))["isError"], false);
    for (tool, arguments) in [
        ("note_progress", json!({ "note": "n" })),
        // Not even what is wrong with its arguments is looked at.
        ("note_progress", json!({})),
        ("propose_goal_draft", json!({ "objective": "o" })),
        ("apply_goal_tweak", json!({ "objective": "o" })),
        ("pause_goal", json!({ "reason": "r" })),
        ("update_goal", json!({ "status": "complete" })),
        ("abort_goal", json!({ "reason": "r" })),
    ] {
        assert_eq!(code(&client.call(tool, arguments)), "auditor_read_only");
    }
    client.close();
    assert_eq!(project.ledger(), before);
}
