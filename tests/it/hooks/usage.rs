//! What transcripts tell of cost: recorded at a stop, once, on the goal that the session holds.

use serde_json::{Value, json};

use super::holding::word;
use super::silent;
use crate::support::Project;

fn answer(id: &str, second: u32, tokens: u32) -> Value {
    let usage = json!({
        "input_tokens": tokens, "cache_creation_input_tokens": 1,
        "cache_read_input_tokens": 7, "output_tokens": 5,
    });
    let edit = json!({ "type": "tool_use", "name": "Edit", "input": {} });
    json!({
        "type": "assistant",
        "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"),
        "message": { "id": id, "model": "m", "content": [edit], "usage": usage },
    })
}

fn held() -> (Project, String) {
    let (project, id) = Project::with_goal("water the beans");
    project.run(&["note", "n", "--session", "s1"]).ok();
    (project, id)
}

impl Project {
    fn spent(&self) -> Vec<Value> {
        let events = self.events_of_type("usage_recorded").into_iter();
        events.map(|event| event["counters"].clone()).collect()
    }
}

#[test]
fn each_answer_of_a_transcript_counts_once() {
    let (project, id) = held();
    let first = answer("m1", 10, 100);
    let mut lines = vec![
        answer("m0", 1, 50),
        word("go on"),
        first.clone(),
        first.clone(),
    ];
    lines.push(answer("m2", 14, 200));
    let stop = |lines: &[Value]| {
        project
            .claude("stop", "s1", &project.transcript(lines))
            .ok()
    };
    stop(&lines);
    let one = json!({
        "llmCalls": 2.0, "tokensIn": 302.0, "tokensCached": 14.0, "tokensOut": 10.0, "seconds": 4.0
    });
    assert_eq!(project.spent(), std::slice::from_ref(&one));
    let event = project.events_of_type("usage_recorded").remove(0);
    assert_eq!(
        [&event["goalId"], &event["session"]],
        [&json!(id), &json!("s1")]
    );
    assert_eq!([&event["by"], &event["model"]], ["system", "m"]);
    // Nothing is new; then one answer is, of which an earlier line was there before.
    stop(&lines);
    assert_eq!(project.spent().len(), 1);
    lines.extend([answer("m2", 15, 200), answer("m3", 16, 1)]);
    stop(&lines);
    let two = json!({
        "llmCalls": 1.0, "tokensIn": 2.0, "tokensCached": 7.0, "tokensOut": 5.0, "seconds": 2.0
    });
    assert_eq!(project.spent(), [one, two]);
}

#[test]
fn what_a_session_spends_without_the_goal_is_not_the_goals() {
    let (project, _) = held();
    let lines = project.transcript(&[word("what is 2+2"), answer("m1", 10, 100)]);
    silent(project.claude("stop", "s2", &lines));
    assert!(project.spent().is_empty());
}

#[test]
fn a_limit_of_tokens_stops_the_next_turn() {
    let (project, id) = held();
    project.run(&["budget", "--max-tokens", "100"]).ok();
    let lines = project.transcript(&[word("go on"), answer("m1", 10, 100)]);
    let ran = project.claude("stop", "s1", &lines).ok();
    let said = ran.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(said.contains("over budget: 106 of 100 tokens"), "{said}");
    assert_eq!(
        (
            project.count("goal_continued"),
            project.status(&id).as_str()
        ),
        (0, "paused")
    );
}

#[test]
fn what_is_no_number_counts_nothing() {
    let (project, _) = held();
    let mut odd = answer("m1", 10, 100);
    odd["message"]["usage"] = json!({ "input_tokens": -5, "output_tokens": "many" });
    odd["message"]["model"] = json!("\u{1b}[31m");
    let lines = project.transcript(&[word("go on"), odd]);
    project.claude("stop", "s1", &lines).ok();
    let event = project.events_of_type("usage_recorded").remove(0);
    assert_eq!(event["counters"], json!({ "llmCalls": 1.0 }));
    assert!(event.get("model").is_none(), "{event}");
}
