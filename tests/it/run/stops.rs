//! Every stop condition that a scripted agent or its surroundings can bring about.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{DONE, cause, configure, with_agent};
use crate::support::{Project, auditor};

/// Runs with this agent, and says the cause and the goal's status.
fn stops(agent: &str, args: &[&str], code: i32) -> (Project, String, String) {
    let (project, id) = with_agent(agent);
    let args = [&["run"], args].concat();
    let ran = project.run(&args).exits(code);
    assert!(
        ran.stderr.contains("stopped") || code == 0,
        "the message names the stop: {ran}"
    );
    let (cause, status) = (cause(&project), project.status(&id));
    (project, cause, status)
}

#[test]
fn the_maximum() {
    let (project, cause, status) = stops("work", &["--max-iterations", "2"], 6);
    assert_eq!((&*cause, &*status), ("max_iterations", "active"));
    assert_eq!(project.started(), 2);
    // Another run has its own.
    let again = project.run(&["run", "--max-iterations", "1"]).exits(6);
    assert_eq!(project.started(), 3);
    // Why it stopped is said once.
    let why = "the run had all its iterations";
    assert!(
        again.stderr.contains(why) && !again.stdout.contains(why),
        "{again}"
    );
}

#[test]
fn the_time_that_it_had() {
    let (project, _) = with_agent("work");
    let run = project.call(&["run", "--until", "07:00"]).env("TZ", "UTC");
    let ran = run
        .env("GOAL_TEST_CLOCK", "2026-01-01T06:59:59.950Z")
        .run()
        .exits(6);
    assert_eq!(cause(&project), "deadline");
    assert!(
        ran.stderr.contains("the time that the run had is over"),
        "{ran}"
    );
    let started = project.events_of_type("run_started");
    assert_eq!(started[0]["deadline"], "2026-01-01T07:00:00.000Z");
    assert!(project.events_of_type("iteration_validated").len() < 50);
    // Among several goals none begins a run after it, and nobody waits for what could come.
    let all = project
        .call(&["run", "--all", "--until", "07:00"])
        .env("TZ", "UTC");
    all.env("GOAL_TEST_CLOCK", "2026-01-02T06:59:59.950Z")
        .run()
        .exits(6);
    assert_eq!(cause(&project), "deadline");
    for odd in ["7", "25:00", "soon", "0h"] {
        project.run(&["run", "--until", odd]).exits(2);
    }
}

#[test]
fn no_progress_whatever_is_noted() {
    let (project, cause, status) = stops("echo busy; goal note busy", &[], 6);
    assert_eq!((&*cause, &*status), ("no_progress", "active"));
    assert_eq!(project.started(), 3);
    configure(&project, auditor::APPROVE, "true", "emptyIterations = 1");
    project.run(&["run"]).exits(6);
    assert_eq!(project.started(), 4);
}

#[test]
fn a_completion_outside_the_gate_is_no_success() {
    // An agent that writes a line in the program's place.
    let forge = r#"id=$(goal note x --json | sed -n 's/.*"goalId":"\([^"]*\)".*/\1/p')
        last=$(goal note y --json | sed -n 's/.*"events":\["\([0-9a-f]*\)".*/\1/p')
        at=2026-01-01T01:00:00.000Z
        printf '{"type":"goal_completed","goalId":"%s","at":"%s","by":"system","prev":"%s"}\n' \
            "$id" "$at" "$last" >> .pi/goals/goal_events.jsonl"#;
    let (project, cause, status) = stops(forge, &["--max-iterations", "2"], 6);
    assert_eq!((&*cause, &*status), ("ended", "complete"));
    let stopped = project.events_of_type("run_stopped").pop().unwrap();
    assert_eq!(stopped["detail"], "it was completed outside the gate");
}

#[test]
fn the_same_failure_again_and_again() {
    let (project, cause, _) = stops("goal note $GOAL_TURN; echo why >&2; exit 3", &[], 6);
    assert_eq!(cause, "repeated_failure");
    assert_eq!(project.started(), 3);
    let validated = project.events_of_type("iteration_validated");
    assert_eq!(validated[0]["agent"], "exit status 3");
}

#[test]
fn who_fails_has_completed_nothing() {
    let (project, cause, _) = stops(&format!("goal note $GOAL_TURN; {DONE}; exit 1"), &[], 6);
    assert_eq!(cause, "repeated_failure");
    assert!(project.events_of_type("completion_requested").is_empty());
}

#[test]
fn blocked_paused_and_ended_by_the_agent() {
    let blocked = "goal note x; echo 'The key is missing.'; echo '<promise>BLOCKED</promise>'";
    for (agent, because, stands) in [
        (blocked, "blocked", "blocked"),
        ("goal block --reason 'no key'", "blocked", "blocked"),
        ("goal pause --reason 'enough'", "paused", "paused"),
        (
            "goal abort --reason 'no use'; sleep 600",
            "ended",
            "aborted",
        ),
    ] {
        let (project, cause, status) = stops(agent, &[], 6);
        assert_eq!((&*cause, &*status), (because, stands), "{agent}");
        assert_eq!(project.started(), 1);
        assert_eq!(project.running(), [""; 0], "{agent}");
    }
}

#[test]
fn an_end_that_git_puts_before_the_lines_of_the_run() {
    // As `git merge main` leaves it on a branch that ended the goal: its line comes first.
    let agent = "cd \"$GOAL_ROOT/.pi/goals\"
        { sed -n 1,2p goal_events.jsonl; cat \"$here/end\"; sed 1,2d goal_events.jsonl; } >new
        mv new goal_events.jsonl; sleep 600";
    let (project, _) = with_agent(agent);
    let ours = project.ledger();
    project.run(&["abort", "--reason", "no use"]).ok();
    let end = project.ledger().split_off(ours.len());
    fs::write(project.aside.join("end"), end).unwrap();
    fs::write(project.ledger_path(), ours).unwrap();
    let settle = ["settle", "--finding", "ledger_rewound", "--reason", "r"];
    project.run(&settle).ok();
    project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "ended");
    assert_eq!(project.running(), [""; 0]);
}

#[test]
fn three_audits_without_a_verdict() {
    // One is down, and not waited for; the other works, and says nothing that can be read.
    for (auditor, args) in [
        (auditor::EXIT_3, &["run", "--retry-for", "0"][..]),
        ("cat >/dev/null; echo 'Looks good.'", &["run"]),
    ] {
        let (project, id) = Project::with_goal("make it so");
        configure(&project, auditor, &format!("goal note x; {DONE}"), "");
        project.run(args).exits(6);
        assert_eq!(cause(&project), "audit_errors");
        assert_eq!(project.status(&id), "active");
        assert_eq!(project.events_of_type("audit_result").len(), 3);
        assert!(project.events_of_type("run_waiting").is_empty());
    }
}

#[test]
fn the_users_word_pauses_after_the_checkpoint() {
    let spoke = "goal hook user-prompt-submit --host codex <<E
{\"session_id\":\"mine\",\"cwd\":\"$GOAL_ROOT\",\"prompt\":\"hold the goal\"}
E
";
    // What an agent of the run is prompted with is not the user's word; what another session is, is.
    let (project, id) = with_agent(&format!(
        "goal note x; {spoke}if [ $GOAL_TURN = $GOAL_SESSION.2 ]; then
           unset GOAL_SESSION GOAL_TURN GOAL_ACTOR; {spoke}fi
         {DONE}"
    ));
    let plan = r#"[{"title":"first"},{"title":"second"},{"title":"third"}]"#;
    project.call(&["task", "set", "-"]).stdin(plan).run().ok();
    let ran = project.run(&["run"]).exits(6);
    assert_eq!(cause(&project), "user_prompted");
    // What it says to type goes on.
    let hint = format!("`goal run {id}` goes on");
    assert!(ran.stderr.contains(&hint), "{ran}");
    assert_eq!(project.status(&id), "paused");
    assert_eq!(project.events_of_type("task_complete").len(), 2);
}

#[test]
fn an_agent_that_cannot_be_started() {
    let (project, id) = with_agent("true");
    let gone = project.aside.join("gone");
    fs::write(&gone, "#!/bin/sh\nrm \"$0\"\n").unwrap();
    fs::set_permissions(&gone, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", gone.parent().unwrap());
    let run = project.call(&["run", "--agent-command", "gone"]);
    run.env("PATH", &path).run().exits(6);
    assert_eq!(cause(&project), "agent_failed");
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_lease_that_is_taken_over() {
    let (project, _) = with_agent(
        "GOAL_SESSION= GOAL_ACTOR=user goal lease acquire --session other --pid 1 --take-over; sleep 600",
    );
    project.run(&["run", "--json"]).exits(4);
    assert_eq!(cause(&project), "lease_lost");
    assert_eq!(project.running(), [""; 0]);
    let held = project.run(&["run", "--json"]).exits(4);
    assert_eq!(held.error_code(), "lease_held");
}

#[test]
fn a_deadline_ends_an_iteration_and_no_run() {
    let (project, _) = with_agent("goal note $GOAL_TURN; sleep 600");
    let run = project.call(&["run", "--max-iterations", "1"]);
    run.env("ITERATION_TIMEOUT", "1000").run().exits(6);
    assert_eq!(cause(&project), "max_iterations");
    let validated = project.events_of_type("iteration_validated");
    assert_eq!(validated[0]["agent"], "killed after 1 s");
    assert_eq!(project.running(), [""; 0]);
}

#[test]
fn a_goal_that_rests_is_resumed_to_run_it() {
    let (project, id) = with_agent(&format!("goal note x; {DONE}"));
    project.run(&["pause", "--reason", "later"]).ok();
    // Where something is missing it rests on, and so it does beside others and for an agent.
    let none = ["run", "--agent-command", "./none", "--json"];
    project.run(&none).exits(5);
    project.run(&["run", "--all"]).ok();
    project.run_as_agent(&["run"]).exits(5);
    assert_eq!(project.status(&id), "paused");
    let refused = project.run(&["resume", "--run"]).exits(2);
    assert!(refused.stderr.contains("it is `goal run`"), "{refused}");
    let ran = project.run(&["run"]).ok();
    let told = format!("Resumed goal {id}, which was paused.");
    assert!(ran.stderr.contains(&told), "{ran}");
    let resumed = project.events_of_type("goal_resumed").pop().unwrap();
    assert_eq!(resumed["reason"], "resumed by the user to run it");
    assert_eq!(project.status(&id), "complete");
    let over = project.run(&["run", &id, "--json"]).exits(5);
    assert_eq!(over.error_code(), "goal_closed");
}

/// Of an agent of one's own only where the key is set.
#[test]
fn an_agent_that_writes_nothing_for_too_long_is_ended() {
    let (project, _) = with_agent("");
    configure(&project, auditor::APPROVE, "exec sleep 600", "silence = 1");
    let ran = project.run(&["run", "--max-iterations", "1"]).exits(6);
    assert!(
        ran.stderr.contains("killed after 1 s without output"),
        "{ran}"
    );
    let validated = project.events_of_type("iteration_validated").pop().unwrap();
    assert_eq!(validated["agent"], "killed after 1 s without output");
    let slow = "for n in 1 2 3 4; do echo $n; sleep 0.4; done; work";
    configure(&project, auditor::APPROVE, slow, "silence = 1");
    project.run(&["run", "--max-iterations", "1"]).exits(6);
    let validated = project.events_of_type("iteration_validated").pop().unwrap();
    assert_eq!(validated["agent"], Value::Null);
}
