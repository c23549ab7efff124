//! Runs of one ledger on several machines: a goal is run by one of them, as the store says.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use serde_json::Value;

use super::Store;
use crate::run::{DONE, cause, configure, found};
use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};

/// Two machines of one user, with agents that do this, and the goal of their ledger.
fn two_machines(store: &Store, agents: [&str; 2]) -> (Project, Project, String) {
    let (here, there) = (store.project(), store.machine());
    fs::create_dir_all(there.state()).unwrap();
    fs::copy(here.state().join("key"), there.state().join("key")).unwrap();
    for (project, agent) in [(&here, agents[0]), (&there, agents[1])] {
        configure(project, auditor::APPROVE, agent, "");
        store.reached_by(project);
    }
    let created = here.events_of_type("goal_created").pop().unwrap();
    let goal = created["goalId"].as_str().unwrap().to_owned();
    (here, there, goal)
}

/// A run on the second machine. What it draws is not what the first one drew.
fn run_there(there: &Project, more: &[&str]) -> Child {
    let call = there.call(&[&["run"], more].concat());
    call.env("GOAL_TEST_SEED", "700700").spawn()
}

fn ended(project: &Project, run: Child) -> Ran {
    Ran::new(project, &run.wait_with_output().unwrap())
}

fn signal(run: &Child, signal: &str) {
    let pid = run.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
    assert!(sent.success());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const UNTIL_GO: &str = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done";

#[test]
fn a_runner_that_was_suspended_beyond_its_lease_appends_nothing() {
    let store = Store::new();
    let late = format!(
        "goal note early; {UNTIL_GO}; goal note late 2>\"$here/said\"; echo $? >\"$here/code\""
    );
    let (here, there, goal) = two_machines(&store, [&late, "goal note there"]);
    // When it is suspended it is not just renewing its lease, and has no lock.
    let run = here.call(&["run"]).env("GOAL_TEST_HURRY", "1").spawn();
    found(|| here.events_of_type("goal_noted").pop());
    let held = ended(&there, run_there(&there, &["--json"])).exits(4);
    assert_eq!(held.error_code(), "lease_held");
    // Who only reads does not ask the store, and does not say that the runner died.
    there.run(&["store", "pull"]).ok();
    for args in [["status"], ["inbox"]] {
        let seen = there.run(&args).ok().stdout;
        assert!(!seen.contains("its run"), "{seen}");
        assert_eq!(seen.contains("running on "), args == ["status"], "{seen}");
    }

    signal(&run, "-STOP");
    store.lapse(&goal);
    ended(&there, run_there(&there, &["--max-iterations", "1"])).exits(6);
    assert_eq!(cause(&there), "max_iterations");
    let started = there.events_of_type("run_started");
    assert_eq!(started[1]["resumes"], started[0]["runId"]);
    // The agent was not suspended. Its lines count no more than those of its runner.
    here.go();
    until("the agent was refused", || here.aside.join("code").exists());
    let read = |name: &str| fs::read_to_string(here.aside.join(name)).unwrap();
    until("its code is there", || !read("code").is_empty());
    assert_eq!(read("code"), "4\n", "{}", read("said"));
    assert!(
        read("said").contains("the lease is over"),
        "{}",
        read("said")
    );
    let before = store.bytes();
    signal(&run, "-CONT");
    let lost = ended(&here, run).exits(4);
    assert!(lost.stderr.contains("lease"), "{lost}");
    assert_eq!(text(&store.bytes()), text(&before));
    here.run(&["store", "pull"]).ok();
    assert_eq!(here.ledger(), before);
    here.run(&["verify"]).ok();
}

#[test]
fn the_lease_is_renewed_while_a_goal_is_run_and_given_back_then() {
    let store = Store::new();
    let (here, there, goal) = two_machines(&store, [&format!("{UNTIL_GO}; {DONE}"), DONE]);
    let run = here.call(&["run"]).spawn();
    found(|| here.events_of_type("iteration_started").pop());
    let first = store.lease(&goal);
    until("it is renewed", || {
        store.lease(&goal)["ends"] != first["ends"]
    });
    assert_eq!(store.lease(&goal)["token"], first["token"]);
    here.go();
    ended(&here, run).ok();
    assert!(store.lease(&goal)["holder"].is_null());
    // Other sessions than those of runs ask the store, too.
    there.run(&["store", "pull"]).ok();
    let other = there.set("Another");
    here.run(&["store", "pull"]).ok();
    let pid = std::process::id().to_string();
    let acquire = |project: &Project, session: &str| {
        let args = [
            "lease",
            "acquire",
            "--pid",
            &pid,
            "--session",
            session,
            "--goal",
            &other,
        ];
        project.run(&args)
    };
    acquire(&there, "s").ok();
    let held = acquire(&here, "s").exits(4);
    assert!(
        held.stderr
            .contains(" in the store; if it is not renewed, it is free in 1"),
        "{held}"
    );
    acquire(&there, "s").ok();
    there.run(&["lease", "release", "--goal", &other]).ok();
    acquire(&here, "s").ok();
}

#[test]
fn a_machine_that_dies_frees_its_goals_for_the_others() {
    let store = Store::new();
    let (here, there, goal) = two_machines(&store, ["goal note early; sleep 600", DONE]);
    let mut run = here.call(&["run", "--all"]).spawn();
    found(|| here.events_of_type("goal_noted").pop());
    let mut other = run_there(&there, &["--all"]);
    let said = BufReader::new(other.stderr.take().unwrap()).lines();
    let mut said = said.map(Result::unwrap);
    assert!(said.any(|line| line.contains("is leased to ")));
    run.kill().unwrap();
    run.wait().unwrap();
    store.lapse(&goal);
    // It ends, and the goal with it.
    said.for_each(drop);
    assert!(other.wait().unwrap().success());
    assert_eq!(there.status(&goal), "complete");
}

#[test]
fn an_answer_on_another_machine_reaches_the_run_that_waits_for_it() {
    let store = Store::new();
    let asks = format!(
        "if grep -q blue \"$here/prompt\"; then goal note painted; {DONE}
         else goal ask 'Which colour?' --suggest blue; fi"
    );
    let (here, there, _) = two_machines(&store, [&asks, DONE]);
    let run = here.call(&["run"]).spawn();
    let asked = found(|| here.events_of_type("question_asked").pop());
    let question = asked["questionId"].as_str().unwrap();
    there.run(&["store", "pull"]).ok();
    there.run(&["answer", question, "blue"]).ok();
    ended(&here, run).ok();
    assert_eq!(cause(&here), "complete");
}

#[test]
fn a_store_without_leases_is_no_hindrance_and_is_told() {
    let store = Store::new();
    let (here, ..) = two_machines(&store, [DONE, DONE]);
    store.reached_with(&here, "no_leases");
    let ran = here.run(&["run"]).ok();
    assert!(ran.stderr.contains("has no leases"), "{ran}");
    assert_eq!(cause(&here), "complete");
}

#[test]
fn a_run_waits_for_its_store() {
    let store = Store::new();
    let agent = format!("goal note did; mv '{0}' '{0}.gone'; {DONE}", store.dir);
    let (here, ..) = two_machines(&store, [&agent, DONE]);
    let mut run = here.call(&["run"]).spawn();
    let said = BufReader::new(run.stderr.take().unwrap()).lines();
    let mut said = said.map(Result::unwrap);
    assert!(said.any(|line| line.contains("The store cannot be reached.")));
    store.come_back();
    said.for_each(drop);
    assert!(run.wait().unwrap().success());
    assert_eq!(cause(&here), "complete");
}

/// The agent has one turn, at whose end the lease is over.
#[test]
fn a_runner_whose_validation_is_refused_has_no_further_turn() {
    let store = Store::new();
    let turn = format!("echo turn >>\"$here/turns\"; {UNTIL_GO}; work");
    let (here, _, goal) = two_machines(&store, [&turn, DONE]);
    // It does not renew its lease meanwhile.
    let run = here.call(&["run"]).env("GOAL_TEST_HURRY", "1").spawn();
    let turns = || fs::read_to_string(here.aside.join("turns")).unwrap_or_default();
    until("the agent works", || !turns().is_empty());
    store.lapse(&goal);
    here.go();
    let lost = ended(&here, run).exits(4);
    assert!(lost.stderr.contains("lease"), "{lost}");
    assert_eq!(turns(), "turn\n");
}

#[test]
fn a_run_whose_lease_ends_during_its_audit_is_over() {
    let store = Store::new();
    let (here, there, goal) = two_machines(&store, [DONE, DONE]);
    configure(&here, auditor::WAIT_AND_APPROVE, DONE, "");
    store.reached_by(&here);
    let run = here.call(&["run"]).env("GOAL_TEST_HURRY", "1").spawn();
    found(|| here.events_of_type("audit_started").pop());
    until("the auditor works", || {
        here.aside.join("supervisor").exists()
    });
    store.lapse(&goal);
    here.go();
    ended(&here, run).exits(4);
    there.run(&["store", "pull"]).ok();
    assert_eq!(there.status(&goal), "active");
    assert_eq!(there.events_of_type("audit_started").len(), 1);
}

#[test]
fn runs_of_all_goals_end_where_the_goal_of_another_machine_is_left_alone() {
    let store = Store::new();
    let turn = format!("{UNTIL_GO}; work");
    let (here, there, goal) = two_machines(&store, [&turn, DONE]);
    configure(&there, auditor::APPROVE, DONE, "goalAttempts = 1");
    store.reached_by(&there);
    let run = here.call(&["run", "--max-iterations", "1"]).spawn();
    found(|| here.events_of_type("iteration_started").pop());
    // It tries the goal again after ten seconds. Long before that it reads that the goal got nowhere.
    let other = there
        .call(&["run", "--all"])
        .env("GOAL_TEST_SEED", "700700");
    let mut other = other.env("GOAL_TEST_HURRY", "1").spawn();
    let said = BufReader::new(other.stderr.take().unwrap()).lines();
    let mut said = said.map(Result::unwrap);
    assert!(said.any(|line| line.contains("is leased to ")));
    here.go();
    ended(&here, run).exits(6);
    there.run(&["store", "pull"]).ok();
    assert!(said.any(|line| line.contains("is left alone")));
    said.for_each(drop);
    assert_eq!(other.wait().unwrap().code(), Some(6));
    assert_eq!(there.status(&goal), "active");
}

#[test]
fn a_run_begins_with_what_the_store_has() {
    let store = Store::new();
    let turn = format!("{UNTIL_GO}; work");
    let (here, there, goal) = two_machines(&store, [&turn, DONE]);
    let run = here.call(&["run", "--max-iterations", "1"]).spawn();
    found(|| here.events_of_type("iteration_started").pop());
    there.run(&["store", "pull"]).ok();
    here.go();
    ended(&here, run).exits(6);
    // Nobody has pulled since: there the run goes on yet, and the second goal is not known.
    let other = here.set("Another");
    ended(&there, run_there(&there, &["--goal", &goal])).ok();
    let started = there.events_of_type("run_started");
    assert_ne!(started[1]["session"], started[0]["session"]);
    let third = here.set("A third");
    ended(&there, run_there(&there, &["--all"])).ok();
    for goal in [&other, &third] {
        assert_eq!(there.status(goal), "complete");
    }
}

#[test]
fn the_lease_file_of_another_machine_gives_nobody_its_lease() {
    let store = Store::new();
    let (here, there, goal) = two_machines(&store, [UNTIL_GO, DONE]);
    let run = here.call(&["run", "--max-iterations", "1"]).spawn();
    found(|| here.events_of_type("iteration_started").pop());
    // A copy came with the project, and by the clock here its time is over.
    let name = format!(".locks/{goal}.lock");
    let mut lease: Value = serde_json::from_slice(&fs::read(here.goals(&name)).unwrap()).unwrap();
    lease["owner"]["host"] = "elsewhere".into();
    lease["expiresAt"] = "2020-01-01T00:00:00Z".into();
    fs::create_dir_all(there.goals(".locks")).unwrap();
    let token = store.lease(&goal)["token"].clone();
    for args in [&["lease", "release", "--goal", &goal][..], &["run"]] {
        fs::write(there.goals(&name), lease.to_string()).unwrap();
        there.call(args).env("GOAL_TEST_SEED", "700700").run();
        assert_eq!(store.lease(&goal)["token"], token, "{args:?}");
    }
    here.go();
    ended(&here, run).exits(6);
}

#[test]
fn a_store_that_is_busy_while_a_lease_is_renewed_is_asked_again() {
    let store = Store::new();
    let (here, ..) = two_machines(&store, [&format!("{UNTIL_GO}; {DONE}"), DONE]);
    store.reached_with(&here, "busy_lease");
    let run = here.call(&["run"]).spawn();
    until("a renewal is refused", || store.was_busy());
    here.go();
    ended(&here, run).ok();
}

#[test]
fn a_lease_is_in_the_store_that_its_ledger_is_put_in_meanwhile() {
    let store = Store::new();
    let (here, goal) = Project::with_goal("Write docs");
    let pid = std::process::id().to_string();
    let lease = |act: &str| {
        let args = ["--pid", &pid, "--session", "s", "--goal", &goal];
        here.run(&[&["lease", act], &args[..]].concat()).ok()
    };
    lease("acquire");
    store.reached_by(&here);
    here.run(&["store", "init", "acme/web"]).ok();
    lease("renew");
    let first = store.lease(&goal);
    lease("renew");
    assert_eq!(store.lease(&goal)["token"], first["token"]);
    lease("release");
    assert!(store.lease(&goal)["holder"].is_null());
}

#[test]
fn who_is_interrupted_while_another_machine_runs_the_goal_is_told_so() {
    let store = Store::new();
    let (here, there, _) = two_machines(&store, [UNTIL_GO, DONE]);
    let run = here.call(&["run", "--max-iterations", "1"]).spawn();
    found(|| here.events_of_type("iteration_started").pop());
    let mut other = run_there(&there, &["--all"]);
    let said = BufReader::new(other.stderr.take().unwrap()).lines();
    let mut said = said.map(Result::unwrap);
    assert!(said.any(|line| line.contains("is leased to ")));
    signal(&other, "-INT");
    said.for_each(drop);
    assert_eq!(other.wait().unwrap().code(), Some(130));
    here.go();
    ended(&here, run).exits(6);
}

#[test]
fn the_hooks_of_a_commit_append_under_the_lease_of_the_run() {
    let store = Store::new();
    let project = Project::under_git();
    configure(&project, auditor::APPROVE, "work", "");
    store.reached_by(&project);
    project.git(&["config", "user.name", "a"]);
    project.git(&["config", "user.email", "a@example.org"]);
    project.git(&["rm", "-rq", "--cached", ".pi"]);
    project.git(&["commit", "-q", "-m", "The ledger is in the store"]);
    fs::write(project.root.join(".git/info/exclude"), ".pi\n").unwrap();
    project.run(&["store", "init", "acme/web"]).ok();
    let hook = project.root.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let said = project.aside.join("lease");
    fs::write(&hook, format!("#!/bin/sh\necho $GOAL_LEASE >'{said}'\n")).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let once = ["run", "--commit", "--max-iterations", "1"];
    let ran = project.run(&once).exits(6);
    assert!(said.exists(), "{ran}");
    let goal = project.events_of_type("goal_created")[0]["goalId"].clone();
    let said = fs::read_to_string(said).unwrap();
    assert_eq!(said, format!("{}:1\n", goal.as_str().unwrap()));
}
