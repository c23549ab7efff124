//! Prompts and resources, for hosts that have nothing of ours but the server.

use serde_json::{Value, json};

use super::client::{Client, NEWEST};
use crate::support::Project;

fn prompt(client: &mut Client, name: &str, arguments: Value) -> String {
    let answer = client.request(
        "prompts/get",
        json!({ "name": name, "arguments": arguments }),
    );
    let messages = answer["result"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1, "{answer}");
    assert_eq!(messages[0]["role"], "user");
    messages[0]["content"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn every_prompt_is_filled() {
    let (project, id) = Project::with_goal("halve the time");
    for revision in ["2025-06-18", NEWEST] {
        let mut client = Client::open(&project, revision, &json!({}));
        let listed = client.request("prompts/list", json!({}));
        let listed = listed["result"]["prompts"].as_array().unwrap().clone();
        let names: Vec<&str> = listed
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let expected = [
            "goal", "draft", "sisyphus", "tweak", "continue", "finalize", "status",
        ];
        assert_eq!(names, expected);
        for name in names {
            let text = prompt(&mut client, name, json!({}));
            let is_about_it = text.contains(&id) || text.contains("halve the time");
            assert!(
                is_about_it || ["draft", "sisyphus"].contains(&name),
                "{name}: {text}"
            );
        }
        for params in [json!({ "name": "none" }), json!({})] {
            let answer = client.request("prompts/get", params);
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
        client.close();
    }
}

#[test]
fn a_topic_is_the_users_word_where_forms_are() {
    let forms = json!({ "elicitation": { "form": {} } });
    let project = Project::new();
    let topic = json!({ "topic": "the tests are slow" });
    let mut client = Client::open_under(&project, &[("GOAL_ACTOR", "")], "2025-11-25", &forms);
    let list = |client: &mut Client| {
        let list = client.request("tools/list", json!({}));
        list["result"]["tools"].as_array().unwrap().len()
    };
    assert_eq!(list(&mut client), 0);
    let text = prompt(&mut client, "draft", topic.clone());
    assert!(text.contains("the tests are slow"), "{text}");
    // It was asked for, so there are the tools to propose it; nothing is recorded.
    assert_eq!(client.told()["method"], "notifications/tools/list_changed");
    assert_eq!(list(&mut client), 2);
    client.close();
    assert!(!project.ledger_path().exists());

    let user = [("GOAL_ACTOR", "user")];
    let mut client = Client::open_under(&project, &user, "2025-11-25", &forms);
    let text = prompt(&mut client, "sisyphus", topic);
    assert!(text.contains("the tests are slow"), "{text}");
    client.close();
    let started = project.last_event();
    assert_eq!(started["type"], "draft_started");
    assert_eq!(started["mode"], "sisyphus");
    assert_eq!(started["by"], "user");
}

#[test]
fn resources_say_what_is_on_record() {
    let (project, id) = Project::with_goal("x");
    let before = project.ledger();
    let mut client = Client::new(&project);
    let listed = client.request("resources/list", json!({}));
    let listed = listed["result"]["resources"].as_array().unwrap().clone();
    let mut read = |uri: &str| {
        let answer = client.request("resources/read", json!({ "uri": uri }));
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{answer}");
        contents["text"].as_str().unwrap().to_owned()
    };
    let texts: Vec<String> = listed
        .iter()
        .map(|it| read(it["uri"].as_str().unwrap()))
        .collect();
    let goal: Value = serde_json::from_str(&texts[0]).unwrap();
    assert_eq!(goal["goalId"], id.as_str());
    assert_eq!(texts[1], project.run(&["summary"]).ok().stdout);
    let tip: Value = serde_json::from_str(&texts[2]).unwrap();
    let verified = project.run(&["verify", "--json"]).ok().data();
    assert_eq!(tip["tip"], verified["tip"]);
    let missing = client.request("resources/read", json!({ "uri": "goal://other" }));
    assert!(
        missing["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no resource"),
        "{missing}"
    );
    client.close();
    assert_eq!(project.ledger(), before);
}
