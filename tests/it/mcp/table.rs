//! The table over the protocol: listed as `goal tool` lists it, every tool called, every answer
//! as its schema says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use super::{all_tools, code, fits, text, verdict};
use crate::support::Project;
use crate::support::auditor::APPROVE;

fn listed(client: &mut Client) -> Vec<Value> {
    let list = client.request("tools/list", json!({}));
    list["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn every_revision_lists_the_table() {
    let (project, _) = Project::with_goal("x");
    let mut expected = project.run(&["tool", "--list"]).ok().data()["tools"].take();
    for tool in expected.as_array_mut().unwrap() {
        let tool = tool.as_object_mut().unwrap();
        tool.remove("callers");
        tool.remove("phases");
    }
    for revision in ["2025-06-18", "2025-11-25", NEWEST] {
        let mut client = Client::open(&project, revision, &json!({}));
        assert_eq!(Value::from(listed(&mut client)), expected, "{revision}");
        client.close();
    }
}

/// What each tool is called with. The rest are refused.
fn arguments(tool: &str) -> Value {
    match tool {
        "note_progress" => json!({ "note": "n", "next": null }),
        "propose_goal_draft" => json!({ "objective": "another" }),
        "apply_goal_tweak" => json!({ "constraints": ["c"], "changeSummary": "why" }),
        "set_goal_tasks" | "add_goal_tasks" => json!({ "tasks": [{ "title": "t" }] }),
        "update_goal_task" => json!({ "taskId": "1", "status": "active" }),
        "add_evidence" => json!({ "evidenceKey": "k", "value": true }),
        "evaluate_progress" => json!({ "score": 0.5, "gapAnalysis": "g" }),
        "set_agenda" => json!({ "steps": [{ "skill": "s", "purpose": "p" }] }),
        "pause_goal" | "abort_goal" => json!({ "reason": "r" }),
        "iteration_complete" => json!({ "outcome": "blocked", "summary": "s" }),
        "delegate_goal" => json!({ "to": "ben", "objective": "a part" }),
        "record_usage" => json!({ "counters": { "llmCalls": 1 } }),
        "update_goal" => json!({ "status": "complete", "summary": "s" }),
        "interpret_message" => json!({ "message": "m" }),
        "ask_user" => json!({ "question": "q" }),
        "iterate_goal" => json!({ "act": "start" }),
        _ => json!({}),
    }
}

fn roles(project: &Project) {
    let plan = r#"{"subgoals":[{"gloss":"s","pred":{"name":"execute"},"doneWhen":[]}],"decomp":"AND","source":"p"}"#;
    let reply = r#"{"action":"new_goal","goal":{"gloss":"g"},"reasoning":"r"}"#;
    let says = |answer: &str| format!("cat >/dev/null; echo '{answer}'");
    let table = |role: &str, body: &str| {
        let script = project.script(role, body);
        format!("[{role}]\ncommand = [\"/bin/sh\", \"{script}\"]\n")
    };
    let configured = [
        table("auditor", APPROVE),
        table("planner", &says(plan)),
        table("interpreter", &says(reply)),
    ];
    project.configure(&configured.concat());
}

#[test]
fn every_tool_answers_as_its_schema_says() {
    for revision in ["2025-06-18", "2025-11-25", NEWEST] {
        let project = Project::new();
        roles(&project);
        let mut client = Client::open(&project, revision, &json!({}));
        let mut called = BTreeSet::new();
        // Tools that are not listed are called by name.
        for tool in all_tools(&project) {
            // Whatever the tool before did to the goal, there is one to work on, and it is known.
            project.set("x");
            client.call("get_goal", json!({}));
            let name = tool["name"].as_str().unwrap();
            let before = match name {
                "update_goal_task" => Some("add_goal_tasks"),
                "withdraw_question" => Some("ask_user"),
                "iteration_next" | "iteration_validate" | "iteration_complete" => {
                    Some("iteration_start")
                }
                _ => None,
            };
            if let Some(before) = before {
                client.call(before, arguments(before));
            }
            let mut given = arguments(name);
            if name == "withdraw_question" {
                let asked = project.events_of_type("question_asked");
                given["id"] = asked.last().unwrap()["questionId"].clone();
            }
            let result = client.call(name, given);
            called.insert(name.to_owned());
            if name == "create_goal" {
                assert_eq!(code(&result), "human_owned");
                continue;
            }
            assert_eq!(result["isError"], false, "{result}");
            let data = &result["structuredContent"];
            fits(&project, name, data);
            assert_eq!(data["text"], text(&result));
            let receipt = &result["_meta"]["goal-ledger/receipt"];
            assert_eq!(receipt["ok"], true);
            assert_eq!(receipt["schema"], format!("goal/{name}/1"));
            assert_eq!(receipt["root"], project.root.as_str());
            assert!(receipt["stopTurn"].is_boolean() && receipt.get("data").is_none());
        }
        assert!(called.len() > 10);
        client.close();
        let mut actors = BTreeMap::new();
        for event in project.events() {
            let by = event["by"].as_str().unwrap().to_owned();
            actors
                .entry(by)
                .or_insert_with(Vec::new)
                .push(event["type"].clone());
        }
        for act in [
            "goal_noted",
            "draft_proposed",
            "goal_paused",
            "goal_aborted",
        ] {
            assert!(actors["agent"].contains(&act.into()), "{act}: {actors:?}");
        }
        assert_eq!(project.events_of_type("goal_completed").len(), 1);
    }
}

#[test]
fn a_disapproval_carries_its_data() {
    let (project, id) = Project::with_goal("x");
    project.auditor(crate::support::auditor::DISAPPROVE);
    let mut client = Client::new(&project);
    let result = client.call("update_goal", arguments("update_goal"));
    assert_eq!(verdict(&result), "completion_not_approved");
    let told = text(&result);
    assert_eq!(told.matches("No test covers it.").count(), 1, "{result}");
    fits(&project, "update_goal", &result["structuredContent"]);
    client.close();
    assert_eq!(project.status(&id), "active");
}

#[test]
fn arguments_that_are_wrong_are_named_and_change_nothing() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    let mut client = Client::new(&project);
    for (tool, arguments, named) in [
        ("note_progress", json!({}), "note"),
        ("note_progress", json!({ "note": 1 }), "`note`"),
        (
            "note_progress",
            json!({ "note": "n", "sudo": true }),
            "`sudo`",
        ),
        (
            "note_progress",
            json!({ "note": "n", "goalId": 7 }),
            "`goalId`",
        ),
        (
            "note_progress",
            json!({ "note": "n", "session": "s" }),
            "`session`",
        ),
        (
            "note_progress",
            json!({ "note": "n", "turn": null }),
            "`turn`",
        ),
        ("note_progress", json!({ "note": "n", "key": "k" }), "`key`"),
        ("get_goal", json!({ "calls": -1 }), "`calls`"),
        (
            "propose_goal_draft",
            json!({ "objective": "o", "mode": "x" }),
            "`mode`",
        ),
    ] {
        let result = client.call(tool, arguments);
        assert_eq!(code(&result), "usage", "{result}");
        assert!(text(&result).contains(named), "{named}: {result}");
        assert!(result.get("structuredContent").is_none());
    }
    let result = client.call("update_goal", json!({ "status": "paused" }));
    assert_eq!(code(&result), "wrong_tool");
    client.close();
    assert_eq!(project.ledger(), before);
}

#[test]
fn what_is_no_call_is_an_error_of_the_protocol() {
    let project = Project::new();
    let mut client = Client::new(&project);
    let mut error = |method: &str, params: Value| client.request(method, params)["error"].clone();
    let unknown = error(
        "tools/call",
        json!({ "name": "no\u{1b}[31m", "arguments": {} }),
    );
    assert_eq!(unknown["code"], -32602);
    let message = unknown["message"].as_str().unwrap();
    assert!(
        message.contains("get_goal") && !message.contains('\u{1b}'),
        "{message}"
    );
    for params in [
        json!({ "name": "get_goal", "arguments": [] }),
        json!({ "name": 7 }),
        json!({ "arguments": {} }),
        json!({}),
    ] {
        assert_eq!(error("tools/call", params)["code"], -32602);
    }
    assert_eq!(error("goal/obey", json!({}))["code"], -32601);
    assert!(error("tools/list", json!({})).is_null());
    client.close();
}

#[test]
fn what_is_stored_neither_steers_nor_hides() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{200b}\u{e0041}\r\u{8}";
    let (project, _) = Project::with_goal(&format!("x{evil}"));
    let mut client = Client::new(&project);
    for (tool, arguments) in [
        ("note_progress", json!({ "note": evil, "next": evil })),
        (
            "propose_goal_draft",
            json!({ "objective": format!("o{evil}") }),
        ),
        ("pause_goal", json!({ "reason": evil })),
        ("get_goal", json!({})),
        ("list_goals", json!({})),
        ("goal_summary", json!({})),
        ("update_goal", json!({ "status": evil })),
    ] {
        let text = text(&client.call(tool, arguments));
        let steers = text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t');
        let hides = text.contains(['\u{202e}', '\u{200b}', '\u{e0041}']);
        assert!(!text.is_empty() && !steers && !hides, "{tool}: {text:?}");
    }
    client.close();
}
