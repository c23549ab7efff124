//! What a run is not held up by: a start in the background, its own log, a runner that sleeps, an end of the goal in
//! the middle of a turn; and what ends it at once.

use std::fs;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::own_tree::{own_tree, repository};
use super::{DONE, cause, check, configure, found, with_agent};
use crate::support::{Project, Ran, auditor};

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

const UNTIL_GO: &str = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done";

/// `goal run --max-iterations 8 >run.log 2>&1` in the project.
fn with_log(project: &Project, more: &[&str]) {
    let log = fs::File::create(project.root.join("run.log")).unwrap();
    let args = [&["run", "--max-iterations", "8"], more].concat();
    let mut command = project.call(&args).command();
    command.stdin(Stdio::null());
    command.stdout(log.try_clone().unwrap()).stderr(log);
    let ended = command.status().unwrap();
    let said = fs::read_to_string(project.root.join("run.log")).unwrap();
    assert_eq!(ended.code(), Some(6), "{said}");
    assert!(said.contains("turn 2 of 8"), "{said}");
}

#[test]
fn what_the_runner_writes_into_the_project_is_no_work_of_the_agent() {
    let (project, _) = repository("true");
    with_log(&project, &["--commit"]);
    assert_eq!(cause(&project), "no_progress");
    let committed = project.git(&["log", "--format=%H", "--", "run.log"]);
    assert_eq!(committed, "");
    // Also where git does not say what changed.
    let (project, _) = with_agent("true");
    with_log(&project, &[]);
    assert_eq!(cause(&project), "no_progress");
}

#[test]
fn the_log_of_the_runner_is_in_no_commit() {
    let (project, _) = repository("work");
    with_log(&project, &["--commit"]);
    let committed = project.git(&["log", "--name-only", "--format="]);
    assert!(
        committed.contains("work") && !committed.contains("run.log"),
        "{committed}"
    );
}

/// Only the turn that left them is paid.
#[test]
fn conflict_markers_in_the_ledger_end_the_run_at_once() {
    let marker = "echo '<<<<<<< HEAD' >>.pi/goals/goal_events.jsonl; work";
    let (project, id) = with_agent(&format!("echo x >>\"$here/turns\"; {marker}"));
    let ran = project.run(&["run", "--json"]).exits(4);
    assert_eq!(ran.error_code(), "unfinished_merge");
    let turns = fs::read_to_string(project.aside.join("turns")).unwrap();
    assert_eq!(turns, "x\n");
    let ledger = String::from_utf8(project.ledger()).unwrap();
    assert_eq!(ledger.matches("<<<<<<<").count(), 1, "{ledger}");
    let whole = ledger.replace("<<<<<<< HEAD\n", "");
    fs::write(project.goals("goal_events.jsonl"), whole).unwrap();
    configure(&project, auditor::APPROVE, DONE, "");
    project.run(&["run"]).ok();
    assert_eq!(project.status(&id), "complete");
}

/// Its lease lapses while it sleeps. Who comes then is told that the tree is taken, and takes nothing.
#[test]
fn a_runner_that_slept_goes_on_although_another_was_refused_meanwhile() {
    let (project, id) = with_agent(&format!("{UNTIL_GO}; goal note x; {DONE}"));
    let first = project.call(&["run"]).spawn();
    found(|| (project.started() == 1).then_some(()));
    signal(&first, Signal::STOP);
    let lease = project.goals(&format!(".locks/{id}.lock"));
    let text = fs::read_to_string(&lease).unwrap();
    let mut lapsed: serde_json::Value = serde_json::from_str(&text).unwrap();
    lapsed["expiresAt"] = "2000-01-01T00:00:00.000Z".into();
    fs::write(&lease, lapsed.to_string()).unwrap();
    let second = project.run(&["run", "--json"]).exits(4);
    assert_eq!(second.error_code(), "tree_busy");
    signal(&first, Signal::CONT);
    project.go();
    Ran::new(&project, &first.wait_with_output().unwrap()).ok();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(project.events_of_type("run_started").len(), 1);
}

#[test]
fn a_turn_in_which_the_agent_completes_the_goal_counts_and_keeps_its_words() {
    let (project, id) =
        with_agent("work; goal complete --summary done >/dev/null; echo All is well.");
    let ran = project.run(&["run", "--json"]).ok().data();
    assert_eq!(project.status(&id), "complete");
    assert_eq!(ran["runs"][0]["iterations"], 1);
    let told = project.look(&["runs", "last"]);
    let turns = told["run"]["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 1, "{told:#}");
    assert_eq!(turns[0]["said"], "All is well.");
    assert!(turns[0]["usage"]["seconds"].is_number(), "{told:#}");
}

/// As a power cut leaves it: nobody else works in the goal's own tree.
#[test]
fn what_a_killed_run_left_in_its_own_tree_is_in_the_first_commit_of_the_next() {
    let (project, id) = repository(&format!("work; >\"$here/began\"; {UNTIL_GO}"));
    let options = ["run", "--worktree", "--commit"];
    let mut run = project.call(&options).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    run.kill().unwrap();
    run.wait().unwrap();
    found(|| project.running().is_empty().then_some(()));
    configure(&project, auditor::APPROVE, DONE, "");
    let ran = project.run(&["run"]).ok();
    assert!(ran.stderr.contains("left without a commit"), "{ran}");
    let tree = own_tree(&project, &id);
    assert_eq!(
        fs::read_to_string(tree.join("work"))
            .unwrap()
            .lines()
            .count(),
        1
    );
    let committed = project.git(&["log", "--name-only", "--format=", &format!("goal/{id}")]);
    assert!(committed.contains("work"), "{committed}");
}

/// What only a person sees is on record, as long as nobody worked on the goal since.
#[test]
fn a_run_that_was_refused_waits_in_the_inbox() {
    let (project, first) = with_agent(&format!("{UNTIL_GO}; work; {DONE}"));
    let other = project.set("Something else");
    let mut run = project.call(&["run", &first]).spawn();
    found(|| (project.started() == 1).then_some(()));
    let ran = project.run(&["run", &other, "--json"]).exits(4);
    assert_eq!(ran.error_code(), "tree_busy");
    // The same is said once.
    project.run(&["run", &other]).exits(4);
    project.run_as_agent(&["run", &other]).exits(5);
    project.go();
    assert!(run.wait().unwrap().success());
    let refused = project.events_of_type("run_refused");
    assert_eq!(refused.len(), 1, "{refused:#?}");
    assert_eq!(refused[0]["code"], "tree_busy");
    let needs = project.look(&["inbox"])["needs"].clone();
    assert_eq!(needs[0]["kind"], "run_stopped", "{needs:#}");
    assert_eq!(needs[0]["goalId"], other.as_str());
    let why = needs[0]["reason"].as_str().unwrap();
    assert!(
        why.starts_with("its run was refused: another run works in"),
        "{why}"
    );
    let report = project.run(&["report"]).ok().stdout;
    assert!(report.contains("its run was refused"), "{report}");
    project.run(&["run", &other]).ok();
    assert_eq!(project.look(&["inbox"])["waiting"], 0);
}

#[test]
fn a_run_of_all_goals_that_lacks_something_waits_in_the_inbox() {
    let (project, _) = with_agent(DONE);
    check(&project, "unit", "true");
    let id = project.set("Checked");
    project
        .run(&["tweak", "--goal", &id, "--priority", "0.9"])
        .ok();
    project.configure("[runner.agent]\ncommand = [\"/nowhere/agent\"]\n");
    project.run(&["run", "--all"]).exits(5);
    let needs = project.look(&["inbox"])["needs"].clone();
    assert_eq!(needs[0]["goalId"], id.as_str(), "{needs:#}");
    let why = needs[0]["reason"].as_str().unwrap();
    assert!(
        why.contains("`goal run --all`") && why.contains("/nowhere/agent"),
        "{why}"
    );
}
