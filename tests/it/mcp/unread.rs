//! Lines that are no messages: each is answered, under its id where that can be known, and the
//! session goes on.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Project;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;

/// More than a message may be.
const TWENTY_MB: usize = 20_000_000;

#[track_caller]
fn is_error(answer: &Value, code: i64, says: &str) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(says), "{answer}");
    assert!(message.len() < 300, "{answer}");
}

/// A request whose arguments are this text.
fn noting(id: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"note_progress","arguments":{arguments}}}}}"#
    )
}

#[test]
fn a_request_that_cannot_be_parsed_is_answered_under_its_id() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let deep = format!(r#"{{"note":{}1{}}}"#, "[".repeat(5000), "]".repeat(5000));
    for (id, arguments) in [
        (100, r#"{"note":"\ud800"}"#),
        (101, &deep),
        (102, r#"{"note":"x",}"#),
        (103, r#"{"note":tru}"#),
    ] {
        client.write(&noting(&id.to_string(), arguments));
        is_error(&client.answer(id), PARSE_ERROR, "not JSON");
    }
    let mut line = noting("104", r#"{"note":"?"}"#).into_bytes();
    *line.iter_mut().find(|byte| **byte == b'?').unwrap() = 0xff;
    client.write_bytes(&line);
    is_error(&client.answer(104), PARSE_ERROR, "not JSON");
    works(client, &project);
}

#[test]
fn a_line_without_an_id_is_answered_without_one() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::start(&project, &[]);
    // Before a session, too.
    client.write("hello");
    is_error(&client.unnamed(), PARSE_ERROR, "not JSON");
    client.initialize("2025-06-18", &json!({}));
    let garbage = "[".repeat(100_000);
    let half = noting("7", "{}");
    for line in ["hello", "{", &garbage, "\u{feff}{", &half[..22]] {
        client.write(line);
        is_error(&client.unnamed(), PARSE_ERROR, "not JSON");
    }
    let endless = format!("{{\"id\":{}}}", "9".repeat(10_000));
    for line in [
        "[]",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{feff}{}",
        &endless,
    ] {
        client.write(line);
        let answer = client.unnamed();
        assert!(
            answer["error"]["code"].is_i64() && answer["id"].is_null(),
            "{answer}"
        );
    }
    works(client, &project);
}

#[test]
fn what_is_json_and_no_request_of_the_protocol_is_answered_under_its_id() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    for line in [
        r#"{"jsonrpc":"1.0","id":9,"method":"tools/list"}"#,
        r#"{"id":9,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":3}"#,
        r#"{"jsonrpc":"2.0","id":9}"#,
    ] {
        client.write(line);
        is_error(&client.answer(9), INVALID_REQUEST, "no message");
    }
    works(client, &project);
}

#[test]
fn notifications_and_responses_are_not_answered_whatever_they_are() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    for line in [
        "",
        "  ",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/others","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"$/others"}"#,
        r#"{"jsonrpc":"1.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"error":7}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
    ] {
        client.write(line);
    }
    works(client, &project);
}

#[test]
fn a_line_that_is_too_long_is_answered_and_not_kept() {
    let (project, _) = Project::with_goal("x");
    let mut client = Client::new(&project);
    let long = format!("\"{}\"", "x".repeat(TWENTY_MB));
    client.write(&noting("100", &long));
    is_error(&client.answer(100), INVALID_REQUEST, "16 MiB");
    // Where the id stands behind what is too long.
    client.write(&format!(r#"{{"method":"m","params":{long},"id":"late"}}"#));
    let late = client.unnamed();
    assert_eq!(late["id"], "late");
    is_error(&late, INVALID_REQUEST, "16 MiB");
    client.write(&"x".repeat(5 * TWENTY_MB));
    is_error(&client.unnamed(), INVALID_REQUEST, "16 MiB");
    if cfg!(target_os = "linux") {
        let peak = client.peak_memory();
        assert!(peak < 150 * 1024, "{peak} KiB");
    }
    works(client, &project);
}

/// The session goes on, and nothing was recorded so far.
#[track_caller]
fn works(mut client: Client, project: &Project) {
    let noted = client.call("note_progress", json!({ "note": "n" }));
    assert_eq!(noted["isError"], false, "{noted}");
    assert!(client.is_even(), "something else was answered");
    client.close();
    assert_eq!(project.events_of_type("goal_noted").len(), 1);
}
