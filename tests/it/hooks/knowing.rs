//! What a session knows: it is told all where it knows something else than holds now, and one line where it
//! knows enough. A goal that rests is not followed by how to work.

use serde_json::{Value, json};

use super::holding::word;
use crate::support::Project;

const HOW: &str = "## How to work";

fn go_on() -> Value {
    json!({ "prompt": "go on with the goal" })
}

#[test]
fn a_goal_that_rests_is_not_followed_by_how_to_work() {
    let acts: [&[&str]; 3] = [
        &["pause", "--reason", "lunch"],
        &["block", "--reason", "no key"],
        &["wait", "--for", "CI of #12", "--until", "8h"],
    ];
    for act in acts {
        let (project, _) = Project::with_goal("water the beans");
        let call = project
            .call(&[act, &["--session", "s"]].concat())
            .without("GOAL_TEST_CLOCK");
        call.run().ok();
        let told = project.told("session-start", "s", &json!({}));
        assert!(told.contains("# Goal summary"), "{told}");
        assert!(!told.contains(HOW), "{act:?}: {told}");
        // Once it goes on, the session learns how.
        if act[0] != "wait" {
            let said = project.told("user-prompt-submit", "s", &json!({ "prompt": "the goal?" }));
            assert!(!said.contains(HOW), "{act:?}: {said}");
            project.run(&["resume"]).ok();
        }
        let told = project.told("user-prompt-submit", "s", &go_on());
        assert!(told.contains(HOW), "{act:?}: {told}");
        let told = project.told("user-prompt-submit", "s", &go_on());
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}

#[test]
fn a_contract_that_the_user_changed_is_told_with_their_next_word() {
    let (project, _) = Project::with_goal("water the beans");
    project.told("session-start", "s", &json!({}));
    let told = project.told("user-prompt-submit", "s", &go_on());
    assert_eq!(told.lines().count(), 1, "{told}");
    // Neither a note nor tasks are another contract.
    project.run(&["note", "n", "--session", "s"]).ok();
    project.run(&["task", "add", "a row"]).ok();
    let told = project.told("user-prompt-submit", "s", &go_on());
    assert_eq!(told.lines().count(), 1, "{told}");
    project.run(&["tweak", "--constraint", "no hose"]).ok();
    let told = project.told(
        "user-prompt-submit",
        "s",
        &json!({ "prompt": "what is 2+2" }),
    );
    assert!(told.contains("no hose") && told.contains(HOW), "{told}");
}

#[test]
fn what_a_compaction_took_away_is_told_again() {
    let (project, _) = Project::with_goal("water the beans");
    let gemini = |event: &str, more: &Value| {
        let mut input = json!({ "session_id": "s", "cwd": project.root.as_str() });
        let more = more.as_object().unwrap().clone();
        input.as_object_mut().unwrap().extend(more);
        let args = ["hook", event, "--host", "gemini"];
        let call = project.call(&args).without("GOAL_ACTOR");
        let ran = call.stdin(&input.to_string()).run().ok();
        let answer = ran.json();
        let text = &answer["hookSpecificOutput"]["additionalContext"];
        text.as_str().unwrap().to_owned()
    };
    let started = gemini("session-start", &json!({}));
    let says = |lines: &[Value]| {
        let mut input = project.transcript(lines);
        input["prompt"] = json!("go on with the goal");
        gemini("user-prompt-submit", &input)
    };
    let kept = json!({ "type": "user", "content": started });
    let compressed = json!({ "$set": { "messages": [word("a summary")] } });
    for (lines, is_told) in [
        (vec![kept.clone()], false),
        (vec![kept.clone(), compressed.clone()], true),
        (vec![compressed, kept], false),
    ] {
        let told = says(&lines);
        assert_eq!(told.contains(HOW), is_told, "{told}");
    }
}

#[test]
fn no_line_for_a_model_has_a_revision_of_32_digits() {
    let (project, id) = Project::with_goal("water the beans");
    let revision = project.look(&["show"])["goal"]["revision"].clone();
    let revision = revision.as_str().unwrap();
    project
        .run(&["focus", "--goal", &id, "--session", "s"])
        .ok();
    for event in ["session-start", "user-prompt-submit", "stop", "stop"] {
        let input = json!({ "session_id": "s", "cwd": project.root.as_str(), "prompt": "go on" });
        let args = ["hook", event, "--as", "tools"];
        let call = project.call(&args).without("GOAL_ACTOR");
        let ran = call.stdin(&input.to_string()).run().ok();
        assert!(!ran.stdout.is_empty(), "{event}");
        assert!(!ran.stdout.contains(revision), "{event}: {ran}");
    }
}
