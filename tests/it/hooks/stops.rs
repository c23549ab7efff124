//! When a stopped agent goes on: turns in vain, audits in vain, the user's word, repetitions.

use std::io::Write;

use serde_json::json;

use super::{HOSTS, session, silent};
use crate::support::Project;

/// Stops, each with a transcript that has grown, until the goal is not continued any more.
#[track_caller]
fn stops_in_vain(project: &Project, host: &str, continued: usize) {
    for number in 0..continued {
        project.transcript_grows();
        let ran = project.hook(host, if number == 0 { "stop" } else { "stop-again" });
        assert!(ran.stdout.contains("# Continue goal"), "{number}: {ran}");
    }
    project.transcript_grows();
    let ran = project.hook(host, "stop-again").ok();
    assert!(!ran.stdout.contains("# Continue goal"), "{ran}");
    assert!(ran.stderr.contains("is not continued any more"), "{ran}");
}

#[test]
fn three_empty_turns_end_it_and_the_user_lets_it_go_on() {
    for host in ["claude", "codex", "gemini"] {
        let (project, id) = Project::held("water the beans");
        stops_in_vain(&project, host, 3);
        project.transcript_grows();
        let given_up = project.hook(host, "stop-again").ok().json();
        let said = given_up["systemMessage"].as_str().unwrap();
        assert!(
            said.contains("3 turns in a row recorded no progress"),
            "{said}"
        );
        assert_eq!(given_up.as_object().unwrap().len(), 1);
        assert_eq!(project.status(&id), "active", "it is not paused by that");
        assert_eq!(project.count("goal_continued"), 3);

        project.hook(host, "user-prompt-submit").ok();
        let word = project.last_event();
        assert_eq!([&word["type"], &word["by"]], ["user_prompted", "user"]);
        assert!(word["session"].is_string(), "{word}");
        project.hook(host, "user-prompt-submit").ok();
        assert_eq!(
            project.count("user_prompted"),
            1,
            "the second resets nothing"
        );
        stops_in_vain(&project, host, 3);
    }
}

#[test]
fn a_turn_with_progress_counts_from_the_start() {
    let (project, _) = Project::held("water the beans");
    for row in 0..3 {
        project.transcript_grows();
        project.hook("codex", "stop-again").ok();
        project.transcript_grows();
        project.hook("codex", "stop-again").ok();
        let note = format!("watered row {row}");
        project.run_as_agent(&["note", &note]).ok();
    }
    assert_eq!(project.count("goal_continued"), 6);
    stops_in_vain(&project, "codex", 3);
}

/// Where a host keeps its transcripts: not in the project.
fn elsewhere(project: &Project, input: String) -> String {
    let root = format!("{}/transcript.jsonl", project.root);
    input.replace(&root, "/nowhere/transcript.jsonl")
}

#[test]
fn the_same_note_again_keeps_nobody_going() {
    let (project, _) = Project::held("water the beans");
    let mut continued = 0;
    for number in 0..10 {
        project.transcript_grows();
        let note = format!("Waiting {}for CI; nothing to do.", " ".repeat(number));
        project.run_as_agent(&["note", &note]).ok();
        let ran = project.hook("claude", "stop-again").ok();
        continued += usize::from(ran.stdout.contains("# Continue goal"));
    }
    assert_eq!(continued, 3);
}

#[test]
fn an_agent_that_notes_something_new_each_turn_is_stopped() {
    let (project, _) = Project::held("water the beans");
    project.configure("[hosts]\nmaxContinuations = 7\n");
    let stop = |note: &str| {
        project.run_as_agent(&["note", note]).ok();
        let ran = project.hook_with("codex", "stop-again", |it| elsewhere(&project, it));
        ran.ok().stdout
    };
    for number in 1..=7 {
        let said = stop(&format!("looked at {number}"));
        assert!(said.contains("# Continue goal"), "{number}: {said}");
        let is_last = said.contains("the last turn in a row");
        assert_eq!(is_last, number == 7, "{said}");
    }
    for number in 8..12 {
        let said = stop(&format!("looked at {number}"));
        assert!(
            said.contains("7 turns in a row brought no result"),
            "{said}"
        );
        assert!(!said.contains("# Continue goal"), "{said}");
    }
    assert_eq!(project.count("goal_continued"), 7);
    let inbox = project.run(&["inbox"]).ok().stdout;
    assert!(
        inbox.contains("7 turns in a row brought no result"),
        "{inbox}"
    );
    // A result lets it go on: here a file of the project.
    std::fs::write(project.root.join("bed.txt"), "beans").unwrap();
    for number in 12..19 {
        let said = stop(&format!("looked at {number}"));
        assert!(said.contains("# Continue goal"), "{number}: {said}");
    }
    assert!(!stop("looked at 19").contains("# Continue goal"));
    // Evidence as well.
    project
        .run_as_agent(&["evidence", "add", "row", "watered"])
        .ok();
    assert!(stop("looked at 20").contains("# Continue goal"));
}

#[test]
fn a_plan_and_a_subagent_are_not_driven_on() {
    for host in ["claude", "codex"] {
        let (project, _) = Project::held("water the beans");
        for (from, to) in [
            (
                "\"permission_mode\": \"default\"",
                "\"permission_mode\": \"plan\"",
            ),
            (
                "\"hook_event_name\": \"Stop\"",
                "\"hook_event_name\": \"SubagentStop\"",
            ),
        ] {
            silent(project.hook_with(host, "stop", |it| {
                let changed = it.replace(from, to);
                assert_ne!(changed, it, "{host} {from}");
                changed
            }));
        }
        assert_eq!(project.count("goal_continued"), 0);
        let ran = project.hook(host, "stop").ok();
        assert!(ran.stdout.contains("# Continue goal"), "{ran}");
    }
}

#[test]
fn what_runs_in_the_background_lets_a_session_stop_until_it_ends() {
    let (project, _) = Project::held("water the beans");
    let transcript = project.root.join("transcript.jsonl");
    let mut lines = String::new();
    let mut says = |line: serde_json::Value| {
        lines += &format!("{line}\n");
        std::fs::write(&transcript, &lines).unwrap();
        project.hook("claude", "stop").ok().stdout
    };
    says(json!({"type": "user", "message": {"content": "go"}}));
    let agent = json!({"type": "tool_use", "id": "t1", "name": "Agent",
        "input": {"description": "review", "run_in_background": true}});
    says(json!({"type": "assistant", "message": {"content": [agent]}}));
    let launched = "Async agent launched successfully. agentId: a1";
    let launched = json!([{"type": "text", "text": launched}]);
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": launched});
    says(json!({"type": "user", "message": {"content": [result]}}));
    let text = json!({"type": "text", "text": "Waiting for the reviewer."});
    let said = says(json!({"type": "assistant", "message": {"content": [text]}}));
    assert_eq!(said, "");
    assert_eq!(project.count("goal_continued"), 0);
    let ended = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>";
    let said = says(json!({"type": "user", "message": {"content": ended}}));
    assert!(said.contains("# Continue goal"), "{said}");
}

#[test]
fn three_audits_without_a_verdict_end_it() {
    let (project, _) = Project::held("water the beans");
    project.auditor("cat > /dev/null\necho no verdict\n");
    for _ in 0..3 {
        project.run_as_agent(&["note", "tried something"]).ok();
        project.run_as_agent(&["complete"]).exits(6);
    }
    project.run_as_agent(&["note", "tried something"]).ok();
    let ran = project.hook("claude", "stop").ok();
    assert!(
        ran.json()["systemMessage"]
            .as_str()
            .unwrap()
            .contains("no verdict"),
        "{ran}"
    );
    assert_eq!(project.count("goal_continued"), 0);
    project.hook("claude", "user-prompt-submit").ok();
    assert_eq!(project.count("user_prompted"), 1);
    assert!(
        project
            .hook("claude", "stop")
            .ok()
            .stdout
            .contains("# Continue goal")
    );
}

#[test]
fn only_an_active_goal_that_continues_by_itself_goes_on() {
    for args in [
        &["pause", "--reason", "r"][..],
        &["block", "--reason", "r"],
        &["tweak", "--no-auto-continue"],
    ] {
        let (project, _) = Project::with_goal("water the beans");
        let another = project.set("another");
        project.hosts_focus(&another);
        project.run(args).ok();
        let before = project.ledger();
        for host in HOSTS {
            silent(project.hook(host, "stop"));
        }
        assert_eq!(project.ledger(), before, "{args:?}");
    }
    let (project, _) = Project::held("water the beans");
    for host in HOSTS {
        project.run(&["unfocus", "--session", session(host)]).ok();
        silent(project.hook(host, "stop"));
    }
    assert_eq!(project.count("goal_continued"), 0);
}

#[test]
fn a_goal_of_another_tool_is_left_to_it() {
    let project = Project::new();
    project.put_ledger(
        "{\"type\":\"goal_created\",\"goalId\":\"theirs\",\"objective\":\"o\",\"sisyphus\":false,\
         \"autoContinue\":true,\"at\":\"2026-01-01T00:00:00.000Z\"}\n",
    );
    let before = project.ledger();
    silent(project.hook("claude", "stop"));
    let ran = project.hook("claude", "session-start").ok();
    assert!(ran.stdout.contains("theirs"), "{ran}");
    project.hook("claude", "user-prompt-submit").ok();
    assert_eq!(project.ledger(), before);
}

#[test]
fn the_session_has_its_own_focus() {
    let (project, first) = Project::with_goal("one");
    let second = project.set("two");
    project
        .run(&["note", "begun", "--session", "5f0e2c1a-host"])
        .ok();
    project
        .run(&["focus", "--goal", &first, "--session", "01a2-host"])
        .ok();
    project.hook("codex", "stop").ok();
    assert_eq!(project.last_event()["goalId"], first);
    project.hook("claude", "stop").ok();
    assert_eq!(project.last_event()["goalId"], second);
}

#[test]
fn what_ended_the_turn_ends_it_for_the_hook_too() {
    let (project, _) = Project::held("one");
    project.run(&["tweak"]).ok();
    let turn = ["--session", "01a2-host", "--turn", "01a2-turn"];
    project
        .run_as_agent(&[&["tweak", "--objective", "two"], &turn[..]].concat())
        .ok();
    // The user answers in a dialog of the host, within the turn.
    let confirmation = project.confirmation();
    let confirmation: Vec<&str> = confirmation.iter().map(String::as_str).collect();
    project.run(&[&confirmation[..], &turn[..]].concat()).ok();
    assert_eq!(project.last_event()["type"], "draft_resolved");
    silent(project.hook("codex", "stop"));
}

#[test]
fn the_same_stop_reported_by_many_is_one_continuation() {
    for (host, recorded) in [
        ("codex", "stop"),
        ("claude", "stop"),
        ("codex", "stop-again"),
        ("cursor", "stop-again"),
    ] {
        let (project, _) = Project::held("water the beans");
        project.transcript_grows();
        let input = project.recorded(host, recorded);
        let started: Vec<_> = (0..4)
            .map(|_| {
                let call = project.call(&["hook", "stop", "--host", host]);
                let mut child = call.without("GOAL_ACTOR").spawn();
                child
                    .stdin
                    .take()
                    .unwrap()
                    .write_all(input.as_bytes())
                    .unwrap();
                child
            })
            .collect();
        for child in started {
            let output = child.wait_with_output().unwrap();
            let answer = String::from_utf8(output.stdout).unwrap();
            assert!(answer.contains("# Continue goal"), "{host}: {answer}");
        }
        assert_eq!(project.count("goal_continued"), 1, "{host} {recorded}");
    }
}

#[test]
fn stops_that_cannot_be_told_apart_all_count() {
    // Equal to the byte, and no transcript whose length would differ.
    let (project, _) = Project::held("water the beans");
    for _ in 0..4 {
        project.hook("codex", "stop-again").ok();
    }
    assert_eq!(project.count("goal_continued"), 3);
}
