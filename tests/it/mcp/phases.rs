//! What is listed follows the project, the client is told when it changes, and what a session was
//! told is what its calls are held to.

use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use super::{code, text};
use crate::support::Project;

fn names(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn told_of_other_tools(client: &mut Client) -> Value {
    let told = client.told();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    told
}

#[test]
fn the_list_follows_the_phase_and_the_client_is_told() {
    let project = Project::new();
    let mut client = Client::start(&project, &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": super::client::implementation(),
    });
    let opened = client.request("initialize", hello);
    assert_eq!(
        opened["result"]["capabilities"]["tools"]["listChanged"],
        true
    );
    client.notify("notifications/initialized", json!({}));
    assert!(names(&mut client).is_empty());

    // Another process, the user's terminal, makes a place for goals, and a goal.
    project.run(&["init"]).ok();
    told_of_other_tools(&mut client);
    assert_eq!(names(&mut client), ["get_goal", "propose_goal_draft"]);
    project.set("x");
    told_of_other_tools(&mut client);
    assert_eq!(names(&mut client).len(), 9);
    // A note changes no tools.
    client.call("note_progress", json!({ "note": "n" }));
    client.call("pause_goal", json!({ "reason": "r" }));
    told_of_other_tools(&mut client);
    assert_eq!(
        names(&mut client),
        ["get_goal", "note_progress", "ask_user"]
    );
    project.run(&["abort", "--reason", "r"]).ok();
    told_of_other_tools(&mut client);
    assert_eq!(names(&mut client), ["get_goal", "propose_goal_draft"]);
    assert_eq!(client.untold(), 0);
    client.close();
}

#[test]
fn the_newest_revision_tells_those_who_subscribe() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::open(&project, NEWEST, &json!({}));
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let subscription = client.send("subscriptions/listen", wanted);
    let acknowledged = client.told();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(names(&mut client).len(), 9);
    client.call("pause_goal", json!({ "reason": "r" }));
    told_of_other_tools(&mut client);
    client.notify(
        "notifications/cancelled",
        json!({ "requestId": subscription }),
    );
    assert_eq!(names(&mut client).len(), 3);
    client.close();

    // Who did not subscribe is not told.
    project.run(&["resume"]).ok();
    let mut client = Client::open(&project, NEWEST, &json!({}));
    names(&mut client);
    client.call("pause_goal", json!({ "reason": "r" }));
    names(&mut client);
    assert_eq!(client.untold(), 0);
    client.close();
}

#[test]
fn a_listing_is_short_and_has_no_schemas_of_answers() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let list = client.request("tools/list", json!({}));
    let text = list["result"].to_string();
    assert!(
        !text.contains("outputSchema") && text.len() < 12_000,
        "{}",
        text.len()
    );
    let read = client.call("get_goal", json!({}));
    let content = read["structuredContent"].to_string();
    assert!(!content.contains("null"), "{content}");
    client.close();
}

#[test]
fn a_call_is_held_to_what_its_session_was_told() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let note = |client: &mut Client| client.call("note_progress", json!({ "note": "n" }));
    // Nothing was told, so nothing is held against it.
    assert_eq!(note(&mut client)["isError"], false);
    project.run(&["tweak", "--title", "other"]).ok();
    let refused = note(&mut client);
    assert_eq!(code(&refused), "stale");
    assert!(text(&refused).contains("get_goal"), "{refused}");
    client.call("get_goal", json!({}));
    assert_eq!(note(&mut client)["isError"], false);
    // What it changes itself it knows of.
    let tasks = json!({ "tasks": [{ "title": "t" }] });
    assert_eq!(client.call("set_goal_tasks", tasks)["isError"], false);
    assert_eq!(note(&mut client)["isError"], false);

    let second = project.set("y");
    let refused = note(&mut client);
    assert_eq!(code(&refused), "not_focused");
    assert!(text(&refused).contains("get_goal"), "{refused}");
    // A proposal of a new goal is about none of them.
    let proposed = client.call("propose_goal_draft", json!({ "objective": "z" }));
    assert_eq!(proposed["isError"], false, "{proposed}");
    // A model may say itself which one it means, though it is not asked to.
    let said = json!({ "note": "n", "goalId": second });
    assert_eq!(client.call("note_progress", said)["isError"], false);
    client.call("abort_goal", json!({ "reason": "r" }));
    client.close();
    assert_eq!(project.status(&second), "aborted");
}

#[test]
fn calls_of_one_message_do_not_refuse_each_other() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    client.call("get_goal", json!({}));
    let begun: Vec<i64> = (0..8)
        .map(|n| {
            let tasks = json!({ "tasks": [{ "title": format!("{n}") }], "append": true });
            client.begin("set_goal_tasks", tasks)
        })
        .collect();
    for id in begun {
        let set = client.result(id);
        assert_eq!(set["isError"], false, "{set}");
    }
    client.close();
}

/// A hook of Claude Code in this session. Host of it and of the servers here is the process of the tests.
fn hook(project: &Project, event: &str, session: &str, prompt: &str) -> String {
    let input = json!({ "session_id": session, "cwd": project.root.as_str(), "prompt": prompt });
    let call = project.call(&["hook", event]).without("GOAL_ACTOR");
    call.stdin(&input.to_string()).run().ok().stdout
}

#[test]
fn what_the_hooks_told_the_server_knows() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let note = |client: &mut Client| client.call("note_progress", json!({ "note": "n" }));
    hook(&project, "session-start", "s", "");
    client.call("get_goal", json!({}));
    assert_eq!(note(&mut client)["isError"], false);
    // The user resumes it at a terminal, and says so.
    client.call("pause_goal", json!({ "reason": "r" }));
    project.run(&["resume"]).ok();
    assert_eq!(code(&note(&mut client)), "turn_stopped");
    hook(&project, "user-prompt-submit", "s", "go on with the goal");
    assert_eq!(note(&mut client)["isError"], false);
    project.run(&["pause", "--reason", "r"]).ok();
    project.run(&["resume"]).ok();
    hook(&project, "user-prompt-submit", "s", "go on with the goal");
    assert_eq!(note(&mut client)["isError"], false);
    // What nobody told is still read first.
    project.run(&["tweak", "--title", "other"]).ok();
    assert_eq!(code(&note(&mut client)), "stale");
    assert_eq!(code(&note(&mut client)), "stale");
    hook(&project, "user-prompt-submit", "s", "go on with the goal");
    assert_eq!(note(&mut client)["isError"], false);
    client.close();
}

#[test]
fn a_session_that_does_not_hold_the_goal_only_reads_it() {
    let (project, _) = Project::with_goal("x");
    let note = ["note", "n", "--session", "s1"];
    project.call(&note).without("GOAL_TEST_CLOCK").run().ok();
    // Hosts start their servers before or after their hooks.
    let mut client = Client::new(&project);
    assert_eq!(names(&mut client).len(), 9);
    hook(&project, "session-start", "s2", "");
    told_of_other_tools(&mut client);
    assert_eq!(names(&mut client), ["get_goal", "list_goals"]);
    // By the user's word it holds the goal.
    hook(&project, "user-prompt-submit", "s2", "go on with the goal");
    told_of_other_tools(&mut client);
    assert_eq!(names(&mut client).len(), 9);
    client.close();
    // A session that holds it is served by the same host: which of them asks, nobody says.
    hook(&project, "session-start", "s3", "");
    let mut client = Client::new(&project);
    assert_eq!(names(&mut client).len(), 9);
    hook(&project, "session-end", "s2", "");
    client.close();
    let mut client = Client::new(&project);
    assert_eq!(names(&mut client).len(), 9, "nobody holds it any more");
    client.close();
}

#[test]
fn where_there_is_no_project_a_client_is_offered_nothing() {
    let opened = |project: &Project, revision: &str| {
        let mut client = Client::start(project, &[]);
        let answer = match revision {
            NEWEST => {
                client.says_inline(&super::client::implementation(), &json!({}));
                client.request("server/discover", json!({}))
            }
            _ => {
                let hello = json!({
                    "protocolVersion": revision,
                    "capabilities": {},
                    "clientInfo": super::client::implementation(),
                });
                client.request("initialize", hello)
            }
        };
        if revision != NEWEST {
            client.notify("notifications/initialized", json!({}));
        }
        client.request("tools/list", json!({}));
        client.close();
        answer["result"].clone()
    };
    for revision in ["2025-06-18", NEWEST] {
        let project = Project::new();
        let offered = opened(&project, revision);
        assert_eq!(
            offered["capabilities"]["resources"],
            Value::Null,
            "{offered}"
        );
        assert_eq!(offered["capabilities"]["prompts"], Value::Null, "{offered}");
        assert_eq!(offered["capabilities"]["tools"]["listChanged"], true);
        assert_eq!(offered["instructions"], Value::Null);
        project.run(&["init"]).ok();
        let offered = opened(&project, revision);
        assert!(
            offered["capabilities"]["resources"].is_object(),
            "{offered}"
        );
        assert!(offered["capabilities"]["prompts"].is_object(), "{offered}");
        assert_eq!(offered["instructions"], Value::Null, "there is no goal");
        project.set("x");
        assert!(opened(&project, revision)["instructions"].is_string());
    }
}
