//! Calls that come twice, too late, or in a turn that is over: `--key`, `--expect`,
//! `--expect-goal`, `--turn`.

use std::collections::BTreeSet;

use insta::assert_snapshot;

use crate::support::{Project, auditor};

/// The goal's revision, as a receipt gives it.
fn revision(project: &Project) -> String {
    let ran = project.run(&["note", "x", "--json"]).ok();
    ran.data()["revision"].as_str().unwrap().to_owned()
}

#[test]
fn the_same_request_with_the_same_key_is_done_once() {
    let (project, _) = Project::with_goal("x");
    let pause = ["pause", "--reason", "r", "--key", "k1", "--json"];
    let first = project.run(&pause).ok();
    project.run(&["resume"]).ok();
    let before = project.tree();
    let second = project.run(&pause).ok();
    assert_eq!(project.tree(), before, "the repetition appended something");
    assert_eq!(second.data()["repeated"], true);
    assert_eq!(second.json()["stopTurn"], true);
    for field in ["goalId", "revision", "status", "events"] {
        assert_eq!(second.data()[field], first.data()[field], "{field}");
    }
    assert_snapshot!(project.run(&pause[..5]), @"Already recorded: Paused goal mjuohs00-tdsfyu (revision [id]…).");
    assert_eq!(
        project.status(second.data()["goalId"].as_str().unwrap()),
        "active"
    );
}

#[test]
fn another_request_with_the_same_key_is_another_request() {
    let (project, _) = Project::with_goal("x");
    for args in [
        &["note", "a", "--key", "k"][..],
        &["note", "b", "--key", "k"],
        &["note", "a", "--key", "k", "--session", "s"],
        &["note", "a", "--key", "k", "--session", "s", "--turn", "t"],
        &["note", "a", "--key", "k", "--next", "n"],
        &["note", "a", "--key", "k2"],
    ] {
        let lines = project.events().len();
        let ran = project.run(&[args, &["--json"]].concat()).ok();
        assert_eq!(ran.data()["repeated"], false, "{args:?}");
        assert_eq!(project.events().len(), lines + 1, "{args:?}");
        let ran = project.run(&[args, &["--json"]].concat()).ok();
        assert_eq!(ran.data()["repeated"], true, "{args:?}");
        assert_eq!(project.events().len(), lines + 1, "{args:?}");
    }
}

#[test]
fn a_goal_is_not_created_twice_with_one_key() {
    let project = Project::new();
    let set = ["set", "x", "--key", "k", "--json"];
    let (first, second) = (project.run(&set).ok(), project.run(&set).ok());
    assert_eq!(first.data()["goalId"], second.data()["goalId"]);
    assert_eq!(first.data()["events"], second.data()["events"]);
    assert_eq!(project.events().len(), 2);
}

#[test]
fn a_refused_request_leaves_its_key_free() {
    let (project, _) = Project::with_goal("x");
    let resume = ["resume", "--key", "k", "--json"];
    project.run(&resume).exits(4);
    project.run(&["pause", "--reason", "r"]).ok();
    assert_eq!(project.run(&resume).ok().data()["repeated"], false);
}

#[test]
fn completion_asked_for_twice_with_one_key_is_audited_once() {
    for (script, code) in [(auditor::DISAPPROVE, 6), (auditor::APPROVE, 0)] {
        let (project, _) = Project::with_goal("x");
        project.auditor(script);
        let complete = ["complete", "--summary", "s", "--key", "k", "--json"];
        let first = project.run(&complete).exits(code);
        let lines = project.ledger();
        let second = project.run(&complete).exits(code);
        assert_eq!(project.ledger(), lines);
        assert_eq!(project.started(), 1);
        for field in ["verdict", "cause", "report", "events"] {
            assert_eq!(second.data()[field], first.data()[field], "{field}");
        }
    }
}

#[test]
fn another_completion_with_the_same_key_is_audited_again() {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::DISAPPROVE);
    project
        .run(&["complete", "--summary", "a", "--key", "k"])
        .exits(6);
    project
        .run(&["complete", "--summary", "b", "--key", "k"])
        .exits(6);
    assert_eq!(project.started(), 2);
}

#[test]
fn an_expected_revision_must_still_stand() {
    let (project, id) = Project::with_goal("x");
    let old = revision(&project);
    project.run(&["note", "in between", "--expect", &old]).ok();
    project
        .run(&["pause", "--reason", "r", "--expect", &old])
        .ok();
    let before = project.tree();
    assert_snapshot!(project.run(&["resume", "--expect", &old]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu has changed: its revision is [id], not [id]
      read it again with `goal show mjuohs00-tdsfyu`, then decide again
    [exit status: 4]
    ");
    let ran = project
        .run(&["resume", "--expect", &old, "--json"])
        .exits(4);
    assert_eq!(ran.error_code(), "stale");
    assert_eq!(project.tree(), before);
    assert_eq!(project.status(&id), "paused");

    project.auditor(auditor::APPROVE);
    let ran = project
        .run(&["complete", "--expect", &old, "--json"])
        .exits(4);
    assert_eq!(ran.error_code(), "stale");
    assert_eq!(project.started(), 0);
}

#[test]
fn an_expected_goal_must_be_the_one() {
    let (project, first) = Project::with_goal("one");
    let second = project.set("two");
    project.run(&["note", "x", "--expect-goal", &second]).ok();
    let before = project.tree();
    assert_snapshot!(project.run(&["note", "x", "--expect-goal", &first]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu is not the focused goal, which is mjuohsrs-r8rvzl
      work on the focused goal, or ask the user to run `goal focus`
    [exit status: 4]
    ");
    let ran = project
        .run(&["note", "x", "--expect-goal", &first, "--json"])
        .exits(4);
    assert_eq!(ran.error_code(), "not_focused");
    let ran = project
        .run(&["note", "x", "--expect-goal", "nope", "--json"])
        .exits(3);
    assert_eq!(ran.error_code(), "unknown_goal");
    project.auditor(auditor::APPROVE);
    let ran = project
        .run(&["complete", "--expect-goal", &first, "--json"])
        .exits(4);
    assert_eq!(ran.error_code(), "not_focused");
    assert_eq!(project.tree(), before);
}

#[test]
fn a_turn_that_ended_changes_nothing_more() {
    let (project, _) = Project::with_goal("x");
    let turn = ["--session", "s", "--turn", "t1"];
    let agent = |args: &[&str]| project.run_as_agent(&[args, &turn].concat());
    let paused = agent(&["pause", "--reason", "r", "--json"]).ok();
    assert_eq!(paused.json()["stopTurn"], true);
    let before = project.tree();
    assert_snapshot!(agent(&["note", "one more"]), @r"
    ------- stderr -------
    error: this turn has ended: the last act on the goal ended it
      end the turn now; until the next one you can only read
    [exit status: 5]
    ");
    assert_eq!(
        agent(&["abort", "--reason", "r", "--json"])
            .exits(5)
            .error_code(),
        "turn_stopped"
    );
    assert_eq!(project.tree(), before);
    // The next turn, another session and the user go on.
    project
        .run_as_agent(&["note", "n", "--session", "s", "--turn", "t2"])
        .ok();
    project
        .run_as_agent(&["note", "n", "--session", "s2", "--turn", "t1"])
        .ok();
    project
        .run(&["note", "n", "--session", "s", "--turn", "t1"])
        .ok();
}

#[test]
fn one_seed_makes_as_many_ids_as_are_asked_for() {
    let project = Project::new();
    let pinned = |args: &[&str]| {
        let call = project.call(args);
        call.env("GOAL_TEST_CLOCK", "2026-01-01T00:00:00Z")
            .env("GOAL_TEST_SEED", "7")
            .run()
            .ok()
    };
    for objective in ["a", "b", "c"] {
        pinned(&["set", objective]);
        pinned(&["draft", objective, "--session", objective]);
    }
    let events = project.events();
    let ids = |kind: &str, field: &str| -> Vec<String> {
        let of_kind = events.iter().filter(|event| event["type"] == kind);
        of_kind.map(|event| event[field].to_string()).collect()
    };
    let all = [
        ids("goal_created", "goalId"),
        ids("draft_started", "draftId"),
    ]
    .concat();
    assert_eq!(all.len(), 6);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 6);
}
