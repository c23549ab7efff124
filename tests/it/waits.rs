//! A goal that waits for something outside: no turn and no token until it is due.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::support::{Project, Ran, wait::until};

/// A project whose goal waits from the moment on at which the agent says so.
fn waiting(until: &[&str]) -> (Project, String) {
    let (project, id) = Project::with_goal("water the beans");
    project.hosts_focus(&id);
    let wait = [&["wait", "--for", "CI of #12"], until].concat();
    project.run_as_agent(&wait).ok();
    (project, id)
}

fn tool(project: &Project, name: &str, arguments: &str) -> String {
    let call = project.call(&["tool", name, "--data", arguments]);
    call.env("GOAL_ACTOR", "agent").run().ok().stdout
}

/// A call under the clock of the machine.
fn now(project: &Project, args: &[&str]) -> Ran {
    project.call(args).without("GOAL_TEST_CLOCK").run().ok()
}

fn wait(project: &Project) -> serde_json::Value {
    project.look(&["show"])["goal"]["wait"].clone()
}

#[test]
fn a_session_stops_without_a_turn_until_it_is_due() {
    let (project, _) = waiting(&["--until", "6d"]);
    let before = project.ledger();
    for host in ["claude", "codex", "gemini", "cursor", "copilot"] {
        let ran = project.hook(host, "stop").ok();
        assert!(!ran.stdout.contains("# Continue goal"), "{ran}");
        assert!(ran.stderr.contains("waits for CI of #12, since"), "{ran}");
    }
    assert_eq!(project.ledger(), before, "nothing is recorded");
    // The user of the tests lives in the past, and hosts and agents now.
    project
        .run(&["wait", "--for", "CI of #12", "--until", "1s"])
        .ok();
    let begun = project.hook("claude", "session-start").ok().stdout;
    assert!(begun.contains("which is over: look first"), "{begun}");
    assert!(!begun.contains("The goal waits for"), "{begun}");
    let next = tool(&project, "get_goal", "{}");
    assert!(next.contains("which is over: look first"), "{next}");
    let json: serde_json::Value = serde_json::from_str(&next).unwrap_or_default();
    let said = json["data"]["next"].as_str().unwrap_or_default();
    assert_eq!(said.matches("CI of #12").count(), 1, "{next}");
    assert!(!next.contains("The goal waits for"), "{next}");
    let next = now(&project, &["next"]).stdout;
    assert!(next.contains("It waited for `CI of #12`"), "{next}");
    assert!(!next.contains("waits for"), "{next}");
    let ran = project.hook("claude", "stop").ok();
    assert!(ran.stdout.contains("# Continue goal"), "{ran}");
    assert!(ran.stdout.contains("which is over: look first"), "{ran}");
    assert!(!ran.stdout.contains("The goal waits for"), "{ran}");
}

#[test]
fn everything_that_shows_the_goal_says_what_it_waits_for() {
    let (project, id) = waiting(&["--until", "8h"]);
    for command in [&["status"][..], &["show"], &["inbox"], &["list"]] {
        let shown = project.run(command).ok().stdout;
        assert!(shown.contains("waits for"), "{command:?}: {shown}");
        assert!(shown.contains("CI of #12"), "{command:?}: {shown}");
    }
    let inbox = project.look(&["inbox"]);
    assert_eq!(inbox["waiting"], 0, "it is no need: {inbox}");
    let waits = &inbox["waits"][0];
    assert_eq!(waits["goalId"], *id);
    assert_eq!(waits["wait"]["reason"], "CI of #12");
    assert_eq!(waits["due"], false);
    let next = tool(&project, "get_goal", "{}");
    assert!(next.contains("The goal waits for"), "{next}");
    // A long time after it is over somebody has to look.
    let late = project
        .call(&["inbox"])
        .env("GOAL_TEST_CLOCK", "2099-01-01T00:00:00.000Z");
    let late = late.run().ok().stdout;
    assert!(late.contains("it waited for CI of #12"), "{late}");
}

#[test]
fn the_users_word_and_an_act_end_it() {
    let (project, _) = waiting(&[]);
    let told = project.hook("claude", "user-prompt-submit").ok().stdout;
    assert!(told.contains("it waited for `CI of #12`"), "{told}");
    assert!(wait(&project).is_null());
    let ran = project.hook("claude", "stop").ok();
    assert!(ran.stdout.contains("# Continue goal"), "{ran}");
    let said = r#"{"note": "pushed", "waitFor": "the review", "waitUntil": "2d"}"#;
    tool(&project, "note_progress", said);
    assert_eq!(wait(&project)["reason"], "the review");
    project
        .run_as_agent(&["evidence", "add", "review", "came"])
        .ok();
    assert!(wait(&project).is_null());
}

#[test]
fn a_time_that_is_none_is_refused() {
    let (project, _) = Project::with_goal("water the beans");
    for wrong in ["soon", "2020-01-01T00:00:00Z", "0m", "-3h"] {
        let until = format!("--until={wrong}");
        let refused = project.run(&["wait", "--for", "CI", &until]);
        assert!(
            refused
                .exits(2)
                .stderr
                .contains("is no time that is to come"),
            "{wrong}"
        );
    }
    assert!(project.events_of_type("goal_waiting").is_empty());
}

#[test]
fn a_time_that_is_too_far_away_is_refused() {
    let (project, _) = Project::with_goal("water the beans");
    let wait = |actor: &str, until: &str| {
        let call = project.call(&["wait", "--for", "CI", "--until", until]);
        call.env("GOAL_ACTOR", actor).run()
    };
    for (actor, until, most) in [
        ("agent", "8d", "an agent's wait is of at most 7 days"),
        ("agent", "2199-01-01T00:00:00Z", "at most 7 days"),
        ("user", "366d", "a wait is of at most 365 days"),
        ("user", "4294967295d", "at most 365 days"),
    ] {
        let refused = wait(actor, until).exits(2).stderr;
        assert!(
            refused.contains("is too far away") && refused.contains(most),
            "{until}: {refused}"
        );
    }
    assert!(project.events_of_type("goal_waiting").is_empty());
    wait("agent", "7d").ok();
    wait("user", "365d").ok();
}

#[test]
fn a_wait_hides_no_need_that_was_there_before() {
    let (project, id) = Project::with_goal("water the beans");
    project.hosts_focus(&id);
    for _ in 0..3 {
        project.hook("claude", "stop-again").ok();
    }
    let is_stuck = || {
        let inbox = now(&project, &["inbox"]).stdout;
        inbox.contains("it is not continued any more")
    };
    assert!(is_stuck());
    let wait = ["wait", "--for", "CI", "--until", "7d"];
    project.run_as_agent(&wait).ok();
    assert!(is_stuck());
}

#[test]
fn a_wait_without_a_time_asks_after_a_day() {
    let (project, _) = waiting(&[]);
    let inbox = |hours: i64| {
        let later = Timestamp::now() + SignedDuration::from_hours(hours);
        let call = project.call(&["inbox"]);
        let ran = call.env("GOAL_TEST_CLOCK", &later.to_string()).run();
        ran.ok().stdout
    };
    let asks = "it waited for CI of #12; the time for that is over";
    assert!(!inbox(23).contains(asks));
    assert!(inbox(36).contains(asks), "{}", inbox(36));
}

#[test]
fn the_inbox_waits_until_one_is_due() {
    let (project, _) = Project::with_goal("water the beans");
    now(&project, &["wait", "--for", "CI of #12", "--until", "3s"]);
    let begun = Instant::now();
    let inbox = now(&project, &["inbox", "--wait", "100", "--json"]).data();
    assert_eq!(inbox["waits"][0]["due"], true, "{inbox}");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

#[test]
fn the_inbox_does_not_come_back_for_one_that_was_due_before() {
    let (project, _) = Project::with_goal("water the beans");
    let ago = Timestamp::now() - SignedDuration::from_hours(1);
    let wait = project.call(&["wait", "--for", "CI of #12", "--until", "1s"]);
    wait.env("GOAL_TEST_CLOCK", &ago.to_string()).run().ok();
    let begun = Instant::now();
    let inbox = now(&project, &["inbox", "--wait", "2", "--json"]);
    assert!(begun.elapsed() >= Duration::from_secs(2), "{inbox}");
}

#[test]
fn a_command_ends_the_wait_of_who_asked() {
    let (project, id) = Project::with_goal("water the beans");
    project.hosts_focus(&id);
    let there = project.aside.join("there");
    let on = [
        "wait",
        "--for",
        "CI of #12",
        "--until",
        "1h",
        "--on",
        "test",
        "-e",
        there.as_str(),
    ];
    let asked = project.call(&on).spawn();
    until("the wait is recorded", || {
        wait(&project)["reason"] == "CI of #12"
    });
    std::fs::write(&there, "").unwrap();
    let ran = Ran::new(&project, &asked.wait_with_output().unwrap()).ok();
    assert!(ran.stdout.contains("What it waited for has come"), "{ran}");
    assert_eq!(wait(&project)["reason"], "CI of #12 (it has come)");
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert!(!ledger.contains(there.as_str()), "{ledger}");
    // It is due at once, and a session goes on.
    let ran = project.hook("claude", "stop").ok();
    assert!(ran.stdout.contains("# Continue goal"), "{ran}");
    assert!(ran.stdout.contains("CI of #12 (it has come)"), "{ran}");
}

#[test]
fn who_goes_on_meanwhile_ends_the_waiting_for_a_command() {
    let (project, _) = Project::with_goal("water the beans");
    let on = ["wait", "--for", "CI of #12", "--json", "--on", "false"];
    let asked = project.call(&on).spawn();
    until("the wait is recorded", || {
        wait(&project)["reason"] == "CI of #12"
    });
    project.run(&["note", "it was cancelled"]).ok();
    let ran = Ran::new(&project, &asked.wait_with_output().unwrap()).exits(75);
    assert_eq!(ran.error_code(), "not_come");
    let error = ran.json()["error"]["message"].to_string();
    assert!(error.contains("since somebody went on"), "{error}");
}

#[test]
fn a_command_is_ended_once_somebody_goes_on() {
    let (project, _) = Project::with_goal("water the beans");
    let on = ["wait", "--for", "CI", "--json", "--on", "sleep", "600"];
    let asked = project.call(&on).spawn();
    until("the wait is recorded", || wait(&project)["reason"] == "CI");
    let begun = Instant::now();
    // Another wait is one that somebody else wants.
    project.run(&["wait", "--for", "the review"]).ok();
    let ran = Ran::new(&project, &asked.wait_with_output().unwrap());
    assert!(begun.elapsed() < Duration::from_secs(120), "{ran}");
    assert_eq!(ran.error_code(), "not_come");
    assert!(ran.stdout.contains("it was ended while it ran"), "{ran}");
    assert_eq!(wait(&project)["reason"], "the review");
}

#[test]
fn a_command_that_succeeds_after_somebody_went_on_has_succeeded() {
    let (project, _) = Project::with_goal("water the beans");
    let note = format!("{} note 'it was cancelled'", env!("CARGO_BIN_EXE_goal"));
    let on = ["wait", "--for", "CI", "--until", "1h", "--on", "sh", "-c"];
    let asked = project.call(&[&on[..], &[&note]].concat());
    // It is looked at the wait only every few seconds.
    let ran = asked.without("GOAL_TEST_HURRY").run().ok();
    let said = "What it waited for has come, and somebody had gone on before: goal";
    assert!(ran.stdout.contains(said), "{ran}");
    assert!(wait(&project).is_null(), "{}", wait(&project));
}

#[test]
fn a_repeated_request_runs_nothing_and_leaves_the_wait_of_now() {
    let (project, _) = Project::with_goal("water the beans");
    let wait_for = |program: &str| {
        let key = ["wait", "--for", "CI", "--key", "kk", "--on", program];
        project.run(&key).ok()
    };
    let ran = wait_for("true");
    assert!(ran.stdout.contains("What it waited for has come"), "{ran}");
    let anna = ["wait", "--for", "the review of Anna", "--until", "2h"];
    project.run(&anna).ok();
    let before = project.ledger();
    for program in ["true", "no-such-program"] {
        let ran = wait_for(program);
        assert!(ran.stdout.starts_with("Already recorded: "), "{ran}");
    }
    assert_eq!(wait(&project)["reason"], "the review of Anna");
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_command_has_the_rights_of_who_asked_and_its_last_words_are_told() {
    let (project, _) = Project::with_goal("water the beans");
    let on = |script: &str| {
        let on = ["wait", "--for", "CI", "--until", "1s", "--json", "--on"];
        let call = project.call(&[&on[..], &["sh", "-c", script]].concat());
        let call = call.without("GOAL_TEST_HURRY");
        call.env("SSH_AUTH_SOCK", "/tmp/agent").run()
    };
    on("test \"$SSH_AUTH_SOCK\" = /tmp/agent").ok();
    let ran = on("echo out; echo no such run >&2; echo give another >&2; exit 3").exits(75);
    let error = ran.json()["error"]["message"].to_string();
    let said = "exit status 3; it wrote last: no such run / give another";
    assert!(error.contains(said), "{error}");
}

#[test]
fn what_cannot_be_started_is_refused_before_anything_is_recorded() {
    let (project, _) = Project::with_goal("water the beans");
    std::fs::write(project.root.join("text"), "").unwrap();
    let before = project.ledger();
    let on = |command: &[&str]| {
        let on = [&["wait", "--for", "x", "--json", "--on"], command].concat();
        project.run(&on)
    };
    for program in ["no-such-program", "./no-such-program", "./text", "/", "--"] {
        let ran = on(&[program]).exits(2);
        assert!(ran.stdout.contains(program), "{ran}");
        assert_eq!(project.ledger(), before, "{program}");
    }
    on(&["--", "true"]).ok();
    assert_eq!(wait(&project)["reason"], "x (it has come)");
}
