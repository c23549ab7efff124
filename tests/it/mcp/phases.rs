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
    assert_eq!(names(&mut client).len(), 11);
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
    assert_eq!(names(&mut client).len(), 11);
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
