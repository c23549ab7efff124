//! When a stopped agent goes on: turns in vain, audits in vain, the user's word, repetitions.

use std::io::Write;

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
    for _ in 0..3 {
        project.transcript_grows();
        project.hook("codex", "stop-again").ok();
        project.transcript_grows();
        project.hook("codex", "stop-again").ok();
        project.run_as_agent(&["note", "watered a row"]).ok();
    }
    assert_eq!(project.count("goal_continued"), 6);
    stops_in_vain(&project, "codex", 3);
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
