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

/// What a client of this name is told when it opens a session of this revision.
fn greeted(project: &Project, options: &[&str], name: &str, revision: &str) -> (Client, Value) {
    let mut client = Client::start_with(project, options, &[]);
    let who = json!({ "name": name, "version": "1" });
    let greeting = match revision {
        NEWEST => {
            client.says_inline(&who, &json!({}));
            client.request("server/discover", json!({}))
        }
        _ => {
            let hello =
                json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": who });
            let opened = client.request("initialize", hello);
            client.notify("notifications/initialized", json!({}));
            opened
        }
    };
    (client, greeting["result"]["instructions"].clone())
}

#[test]
fn tools_are_called_as_the_client_calls_them() {
    let (project, _) = Project::with_goal("x");
    let plugin: &[&str] = &["--as", "claude-plugin"];
    for (options, name, revision, before) in [
        (&[][..], "claude-code", NEWEST, "mcp__goal__"),
        (plugin, "claude-code", NEWEST, "mcp__plugin_goal_goal__"),
        (&[], "gemini-cli-mcp-client", "2025-11-25", "mcp_goal_"),
        (&[], "opencode", "2025-11-25", "goal_"),
        (&[], "copilot-cli", NEWEST, "goal-"),
        (&[], "@cline/core", "2025-06-18", "goal__"),
        (&[], "a client", "2025-11-25", ""),
    ] {
        let (mut client, greeting) = greeted(&project, options, name, revision);
        let greeting = greeting.as_str().unwrap();
        assert!(
            greeting.contains(&format!("`{before}get_goal`")),
            "{greeting}"
        );
        let completes = format!("`{before}update_goal`");
        let read = client.call("get_goal", json!({}));
        let said = text(&read);
        assert!(said.contains(&completes), "{name}: {said}");
        assert!(
            before.is_empty() || !said.contains("`update_goal`"),
            "{said}"
        );
        let refused = client.call("update_goal", json!({ "status": "paused" }));
        let said = text(&refused);
        assert!(said.contains(&format!("`{before}pause_goal`")), "{said}");
        let prompt = client.request("prompts/get", json!({ "name": "goal" }));
        assert!(prompt.to_string().contains(&completes), "{prompt}");
        client.close();
    }
}

/// Codex and Qwen Code have tools called `get_goal` and `update_goal`, which know nothing of ours.
#[test]
fn a_host_with_tools_of_the_same_names_is_shown_other_names() {
    let (project, _) = Project::with_goal("x");
    for (options, name, revision, before) in [
        (&[][..], "codex-mcp-client", "2025-06-18", "mcp__goal."),
        (&[], "qwen-cli-mcp-client-goal", NEWEST, "mcp__goal__"),
        (&["--as", "qwen"], "a client", "2025-11-25", "mcp__goal__"),
    ] {
        let (mut client, greeting) = greeted(&project, options, name, revision);
        let begins = format!("Begin with `{before}get_ledger_goal`");
        assert!(greeting.as_str().unwrap().contains(&begins), "{greeting}");
        let listed = client.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = tools
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        for (collides, second) in [
            ("get_goal", "get_ledger_goal"),
            ("update_goal", "update_ledger_goal"),
        ] {
            assert!(
                names.contains(&second) && !names.contains(&collides),
                "{names:?}"
            );
        }
        let completes = format!("`{before}update_ledger_goal`");
        // What was called by the old name is still answered.
        for reads in ["get_ledger_goal", "get_goal"] {
            let read = client.call(reads, json!({}));
            let said = text(&read);
            assert!(said.contains(&completes), "{name}: {said}");
            assert!(!said.contains("update_goal`"), "{said}");
        }
        for completing in ["update_ledger_goal", "update_goal"] {
            let refused = client.call(completing, json!({ "status": "paused" }));
            assert!(text(&refused).contains(&completes), "{refused}");
        }
        client.close();
    }
}

#[test]
fn without_a_project_a_client_is_told_nothing() {
    let project = Project::new();
    for revision in ["2025-06-18", NEWEST] {
        let (mut client, greeting) = greeted(&project, &[], "a client", revision);
        assert_eq!(greeting, Value::Null);
        let list = client.request("tools/list", json!({}));
        assert_eq!(list["result"]["tools"], json!([]));
        client.close();
    }
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
    // Without the host's word for a turn, what is read again with nothing done between is nudged.
    let mut nudge = || {
        let read = client.call("get_goal", json!({}));
        read["structuredContent"]["nudge"].is_string()
    };
    assert_eq!([nudge(), nudge(), nudge()], [false, true, true]);
    client.call("note_progress", json!({ "note": "n" }));
    let mut nudge = || {
        let read = client.call("get_goal", json!({}));
        read["structuredContent"]["nudge"].is_string()
    };
    assert_eq!([nudge(), nudge()], [false, true]);
    // A goal that rests is not to be worked on, however often it is read.
    client.call("pause_goal", json!({ "reason": "r" }));
    client.call("get_goal", json!({}));
    let read = client.call("get_goal", json!({}));
    let said = read["structuredContent"]["nudge"].as_str().unwrap();
    assert!(
        said.contains("end the turn") && !said.contains("what is next"),
        "{said}"
    );
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

#[test]
fn a_host_that_we_know_gets_the_text_once() {
    let (project, _) = Project::with_goal("x");
    for (name, has_data) in [
        ("claude-code", false),
        ("codex-mcp-client", false),
        ("gemini-cli-mcp-client", false),
        ("a client", true),
    ] {
        let (mut client, _) = greeted(&project, &[], name, "2025-06-18");
        let read = client.call("get_goal", json!({}));
        assert!(text(&read).contains("# Working on a goal"), "{read}");
        assert_eq!(read["structuredContent"].is_object(), has_data, "{name}");
        client.close();
    }
}

/// What the user decides is named as they type it where hooks of ours hear it, and else as a command.
#[test]
fn a_proposal_names_how_its_user_decides_in_this_host() {
    for (options, client, host, before) in [
        (
            &["--as", "claude-plugin"][..],
            "claude-code",
            "claude",
            "/goal:",
        ),
        (&[][..], "claude-code", "claude", "goal:"),
        (&[][..], "codex-mcp-client", "codex", "goal:"),
        (&[][..], "opencode", "opencode", "/goal:"),
    ] {
        let (project, _) = Project::with_goal("x");
        let (mut server, _) = greeted(&project, options, client, "2025-06-18");
        let proposed = |server: &mut Client| {
            let contract = json!({ "objective": "water the beans" });
            let told = in_turn(server, "1", "propose_goal_draft", contract);
            let draft = project.last_event()["draftId"].as_str().unwrap().to_owned();
            (text(&told), draft)
        };
        let (said, draft) = proposed(&mut server);
        let command = format!("`goal confirm {draft}`, or decline it with `goal reject {draft}`");
        assert!(said.contains(&command), "{client}: {said}");

        let input = json!({ "session_id": "S", "cwd": project.root.as_str(), "prompt": "hello" });
        let hook = ["hook", "user-prompt-submit", "--host", host];
        let call = project.call(&hook).without("GOAL_ACTOR");
        call.stdin(&input.to_string()).run().ok();
        let (said, draft) = proposed(&mut server);
        let typed =
            format!("`{before}confirm {draft}`, or decline it with `{before}reject {draft}`");
        assert!(said.contains(&typed), "{client}: {said}");
        server.close();
    }
}

/// Of a project that is not there yet nothing is noted before the user's word makes it.
#[test]
fn the_first_draft_of_a_project_is_decided_on_in_the_host_too() {
    let project = Project::new();
    let input =
        json!({ "session_id": "S", "cwd": project.root.as_str(), "prompt": "/goal:draft x" });
    let call = project
        .call(&["hook", "user-prompt-submit"])
        .without("GOAL_ACTOR");
    call.stdin(&input.to_string()).run().ok();
    let (mut server, _) = greeted(
        &project,
        &["--as", "claude-plugin"],
        "claude-code",
        "2025-06-18",
    );
    let told = server.call(
        "propose_goal_draft",
        json!({ "objective": "water the beans" }),
    );
    assert!(text(&told).contains("`/goal:confirm "), "{told}");
    server.close();
}
