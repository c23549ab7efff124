//! Every transaction in both forms: what it prints, and what it appends.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, commands as commands_of_help};

/// A project whose goal is named below by its pinned id.
fn project() -> Project {
    Project::with_goal("Port the parser").0
}

/// The last event without the fields that every event of ours has.
fn appended(project: &Project) -> Value {
    let mut event = project.last_event();
    let fields = event.as_object_mut().unwrap();
    for name in ["goalId", "at", "by", "prev", "seal"] {
        assert!(fields.remove(name).is_some(), "no `{name}`");
    }
    event
}

#[test]
fn set_creates_and_focuses() {
    let project = Project::new();
    assert_snapshot!(project.run(&["set", "Port the parser"]), @"
    Created and focused goal mjuohs00-tdsfyu (revision [id]…).
    ------- stderr -------
    note: no auditor is configured, and without one the goal cannot be completed
      `goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or ./SCRIPT
    ");
    assert_snapshot!(project.run(&["set", "Write the manual", "--json"]), @r#"{"ok":true,"schema":"goal/set/1","root":"$ROOT","data":{"goalId":"mjuohsrs-r8rvzl","revision":"[id]","status":"active","events":["[id]","[id]"],"repeated":false,"notices":[{"code":"no_auditor","severity":"information","line":null,"offset":null,"message":"no auditor is configured, and without one the goal cannot be completed","hint":"`goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or ./SCRIPT"}]},"stopTurn":false}"#);
    assert_eq!(
        project.event_types(),
        [
            "goal_created",
            "goal_focused",
            "goal_created",
            "goal_focused"
        ]
    );
    let [first, second] = &project.events_of_type("goal_created")[..] else {
        panic!("two goals");
    };
    assert_eq!(first["objective"], "Port the parser");
    assert_eq!(second["at"], "2026-01-01T00:00:01.001Z");
    assert_ne!(first["goalId"], second["goalId"]);
}

#[test]
fn set_takes_the_whole_contract_and_stdin() {
    let project = Project::new();
    let args = [
        "set",
        "-",
        "--sisyphus",
        "--no-auto-continue",
        "--title",
        "T",
        "--criteria",
        "c1",
        "--criteria",
        "c2",
        "--boundary",
        "b",
        "--constraint",
        "k",
        "--if-blocked",
        "i",
        "--verification",
        "v",
        "--check",
        "lint",
        "--check",
        "tests",
    ];
    project
        .call(&args)
        .stdin("From the\nother side\n")
        .run()
        .ok();
    let mut created = project.events().remove(0);
    for name in ["goalId", "at", "by", "prev", "seal"] {
        created.as_object_mut().unwrap().remove(name);
    }
    let expected = json!({
        "type": "goal_created", "objective": "From the\nother side",
        "sisyphus": true, "autoContinue": false, "title": "T",
        "successCriteria": ["c1", "c2"], "boundaries": ["b"], "constraints": ["k"],
        "ifBlocked": "i", "verificationContract": "v", "checks": ["lint", "tests"],
    });
    assert_eq!(created, expected);
}

#[test]
fn pause_and_resume() {
    let project = project();
    let pause = ["pause", "--reason", "lunch", "--suggest", "eat"];
    assert_snapshot!(project.run(&pause), @"Paused goal mjuohs00-tdsfyu (revision [id]…).");
    assert_eq!(
        appended(&project),
        json!({"type": "goal_paused", "reason": "lunch", "suggestedAction": "eat",
            "status": "paused"})
    );
    assert_snapshot!(project.run(&["resume", "--json"]), @r#"{"ok":true,"schema":"goal/resume/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"active","events":["[id]"],"repeated":false},"stopTurn":false}"#);
    assert_eq!(
        appended(&project),
        json!({"type": "goal_resumed", "reason": "resumed by the user"})
    );
    assert_snapshot!(project.run(&["pause", "--reason", "again", "--json"]), @r#"{"ok":true,"schema":"goal/pause/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"paused","events":["[id]"],"repeated":false},"stopTurn":true}"#);
    assert_snapshot!(project.run(&["resume", "--reason", "rested"]), @"Resumed goal mjuohs00-tdsfyu (revision [id]…).");
}

#[test]
fn block_is_a_pause_that_other_tools_read_as_one() {
    let project = project();
    assert_snapshot!(project.run(&["block", "--reason", "no key"]), @"Blocked goal mjuohs00-tdsfyu (revision [id]…).");
    assert_eq!(
        appended(&project),
        json!({"type": "goal_paused", "reason": "no key", "status": "paused", "blocked": true})
    );
    project.run(&["resume"]).ok();
    assert_snapshot!(project.run(&["block", "--reason", "no key", "--json"]), @r#"{"ok":true,"schema":"goal/block/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"blocked","events":["[id]"],"repeated":false},"stopTurn":true}"#);
}

#[test]
fn note() {
    let project = project();
    assert_snapshot!(project.run(&["note", "halfway", "--next", "the lexer"]), @"Noted for goal mjuohs00-tdsfyu (revision [id]…).");
    assert_eq!(
        appended(&project),
        json!({"type": "goal_noted", "note": "halfway", "next": "the lexer"})
    );
    assert_snapshot!(project.run(&["note", "done with it", "--json"]), @r#"{"ok":true,"schema":"goal/note/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"active","events":["[id]"],"repeated":false},"stopTurn":false}"#);
    project.call(&["note", "-"]).stdin("piped").run().ok();
    assert_eq!(appended(&project)["note"], "piped");
}

#[test]
fn the_three_ways_to_give_up() {
    for (command, outcome, status) in [
        ("abort", Value::Null, "aborted"),
        ("fail", "failed".into(), "failed"),
        ("abandon", "abandoned".into(), "abandoned"),
    ] {
        let project = project();
        let ran = project
            .run(&[command, "--reason", "no time", "--json"])
            .ok();
        assert_eq!(ran.data()["status"], status);
        let event = appended(&project);
        assert_eq!(
            event["type"], "goal_aborted",
            "older readers know only this one"
        );
        assert_eq!(event["outcome"], outcome);
        let archived = event["archivePath"].as_str().unwrap();
        assert!(project.root.join(archived).is_file(), "{archived}");
    }
    assert_snapshot!(project().run(&["abort", "--reason", "no time"]), @"Aborted goal mjuohs00-tdsfyu (revision [id]…).");
    assert_snapshot!(project().run(&["fail", "--reason", "no time"]), @"Ended as failed: goal mjuohs00-tdsfyu (revision [id]…).");
    assert_snapshot!(project().run(&["abandon", "--reason", "no time", "--json"]), @r#"{"ok":true,"schema":"goal/abandon/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"abandoned","events":["[id]"],"repeated":false},"stopTurn":true}"#);
}

#[test]
fn unfocus_leaves_no_focus() {
    let project = project();
    assert_snapshot!(project.run(&["unfocus"]), @"Unfocused: no goal is worked on now.");
    assert_eq!(project.last_event()["type"], "goal_unfocused");
    assert_eq!(project.last_event()["goalId"], Value::Null);
    project.run(&["note", "to nobody"]).exits(3);

    let project = self::project();
    assert_snapshot!(project.run(&["unfocus", "--reason", "weekend", "--json"]), @r#"{"ok":true,"schema":"goal/unfocus/1","root":"$ROOT","data":{"goalId":null,"revision":null,"status":null,"events":["[id]"],"repeated":false},"stopTurn":false}"#);
}

#[test]
fn sessions_and_marks_are_recorded() {
    let project = project();
    let call = project.call(&["note", "x", "--session", "s1", "--turn", "t1"]);
    call.env("AI_AGENT", "some-agent/2").run().ok();
    let event = project.last_event();
    assert_eq!(event["session"], "s1");
    assert_eq!(event["turn"], "t1");
    assert_eq!(event["by"], "user");
    assert_eq!(event["via"], "some-agent/2");
}

#[test]
fn complete() {
    let project = project();
    project.auditor(crate::support::auditor::DISAPPROVE);
    assert_snapshot!(project.run(&["complete", "--summary", "done"]), @r"
    Goal mjuohs00-tdsfyu stays open.

    No test covers it.
    ------- stderr -------
    error: the auditor does not approve
      address its objections, then ask again
    [exit status: 6]
    ");
    assert_snapshot!(project.run(&["complete", "--json"]), @r#"
    {"ok":false,"schema":"goal/complete/1","root":"$ROOT","error":{"code":"completion_not_approved","message":"the auditor does not approve","hint":"address its objections, then ask again","retryable":false},"data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"active","events":["[id]","[id]","[id]"],"verdict":"disapproved","cause":null,"report":"No test covers it.","proof":null,"signature":null,"signer":null,"pending":false}}
    [exit status: 6]
    "#);
    project.auditor(crate::support::auditor::APPROVE);
    assert_snapshot!(project.run(&["complete", "--summary", "done"]), @r"
    Complete: the auditor approved goal mjuohs00-tdsfyu.
    ------- stderr -------
    note: the auditor's program $ASIDE/auditor changed after the audit at line 8
      an update of it explains that; else look at what was put there before you rely on the verdict
    ");

    let project = self::project();
    project.auditor(crate::support::auditor::APPROVE);
    assert_snapshot!(project.run(&["complete", "--json"]), @r#"{"ok":true,"schema":"goal/complete/1","root":"$ROOT","data":{"goalId":"mjuohs00-tdsfyu","revision":"[id]","status":"complete","events":["[id]","[id]","[id]","[id]"],"verdict":"approved","cause":null,"report":"All criteria are met.","proof":{"proven":true},"signature":null,"signer":null,"pending":false},"stopTurn":true}"#);
    assert_eq!(
        project.event_types()[2..],
        [
            "completion_requested",
            "audit_started",
            "audit_result",
            "goal_completed"
        ]
    );
}

#[test]
fn the_program_finds_its_project_from_below() {
    let project = project();
    let deep = project.root.join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    let ran = project
        .call(&["note", "from below", "--json"])
        .cwd(&deep)
        .run()
        .ok();
    assert_eq!(ran.json()["root"], project.root.as_str());
    assert!(!deep.join(".pi").exists());
}

#[test]
fn older_names_still_work() {
    let project = Project::new();
    project.run(&["goals-set", "one"]).ok();
    project.run(&["sisyphus-set", "two"]).ok();
    let created = project.events_of_type("goal_created");
    assert_eq!(created[1]["sisyphus"], true);
    project.run(&["goal-pause", "--reason", "r"]).ok();
    project.run(&["--json", "goal-resume"]).ok();
    project.run(&["goal-unfocus"]).ok();
    let goal = created[0]["goalId"].as_str().unwrap();
    project
        .run(&["goal-abort", "--goal", goal, "--reason", "r"])
        .ok();
    let goal = created[1]["goalId"].as_str().unwrap();
    project
        .run(&["--goal", goal, "goal-clear", "--reason", "r"])
        .ok();
    assert_eq!(project.status(goal), "aborted");
}

#[test]
fn a_session_that_continues_others_is_named() {
    let project = Project::new();
    project.run(&["draft", "samples", "--session", "s1"]).ok();
    let propose = ["propose", "Count them", "--json"];
    let forked = ["--continues", "s2", "--continues", "s1"];
    let unnamed = project.run_as_agent(&[&propose[..], &forked].concat());
    assert_snapshot!(unnamed.exits(2), @r#"
    {"ok":false,"schema":"goal/propose/1","error":{"code":"usage","message":"--continues needs the id of this session too","hint":"name this session with --session or GOAL_SESSION","retryable":false}}
    [exit status: 2]
    "#);
    let many = ["--continues", "s"].repeat(17);
    let session = ["--session", "s3"];
    let many = project.run_as_agent(&[&propose[..], &session, &many].concat());
    assert_eq!(many.exits(2).error_code(), "usage");
    // The fork of a fork has the draft that was opened before both.
    let proposed = project.run_as_agent(&[&propose[..], &session, &forked].concat());
    proposed.ok();
    let [opened, proposed] = &project.events()[..] else {
        panic!("a draft and its proposal are expected");
    };
    assert_eq!(opened["draftId"], proposed["draftId"]);
}

#[test]
fn help_breaks_between_words_at_the_terminals_width() {
    let project = Project::new();
    let mut commands = vec![vec!["help"]];
    let names = commands_of_help();
    commands.extend(names.iter().map(|name| vec![name, "--help"]));
    for command in commands {
        let ran = project.call(&command).env("COLUMNS", "80").run().ok();
        let wide = ran.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{command:?}");
    }
}

#[test]
fn the_user_pauses_without_a_reason_and_nobody_else_does() {
    let (project, _) = Project::with_goal("one");
    for (actor, command) in [("agent", "pause"), ("agent", "block"), ("user", "block")] {
        let refused = project.call(&[command]).env("GOAL_ACTOR", actor).run();
        assert_eq!(refused.exits(2).stdout, "", "{actor} {command}");
    }
    project.run(&["pause"]).ok();
    let paused = project.last_event();
    assert_eq!(paused["type"], "goal_paused");
    assert_eq!(paused["reason"], "paused by the user");
}

#[test]
fn help_of_a_command() {
    assert_snapshot!(Project::new().run(&["pause", "--help"]), @r"
    Pause the goal

    Usage: goal pause [OPTIONS]

    Options:
          --reason <TEXT>     Why; an agent gives one, and `goal block` wants one
          --suggest <ACTION>  What the user could do about it
      -h, --help              Print help

    This ends an agent's turn.

    Example:
      goal pause --reason 'the API may still change' --suggest 'decide on the API'

    Options of every command, such as --goal and --json: `goal help options`.
    ");
}
