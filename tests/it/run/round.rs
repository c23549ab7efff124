//! `goal run --all`: goals take turns, and with `--jobs` several are worked at the same time, each in a
//! work tree of its own.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::own_tree::{own_tree, repository, shared_events};
use super::{DONE, configure, found};
use crate::support::wait::until;
use crate::support::{Project, auditor};

/// The second goal beside that of [`repository`], and an agent that does this.
fn two_goals(agent: &str) -> (Project, [String; 2]) {
    let (project, first) = repository(agent);
    project.run(&["set", "Write the pages"]).ok();
    let created = shared_events(&project, "goal_created").pop().unwrap();
    let second = created["goalId"].as_str().unwrap().to_owned();
    (project, [first, second])
}

fn lines(project: &Project, name: &str) -> Vec<String> {
    let text = fs::read_to_string(project.aside.join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn signalled(runner: u32, signal: &str) {
    let killed = Command::new("kill")
        .args([signal, &runner.to_string()])
        .status();
    assert!(killed.unwrap().success());
}

#[test]
fn a_goal_that_never_stops_keeps_no_other_one_waiting() {
    let project = Project::new();
    let agent = format!(
        "if grep -q endless \"$here/prompt\"; then work; elif [ -e second ]; then {DONE}; else >second; fi"
    );
    configure(&project, auditor::APPROVE, &agent, "");
    let endless = project.set("endless");
    project.run(&["tweak", "--priority", "0.9"]).ok();
    let low = project.set("small");
    let ran = project
        .run(&["run", "--all", "--max-iterations", "5", "--json"])
        .exits(6)
        .data();
    let runs = ran["runs"].as_array().unwrap();
    let order: Vec<_> = runs
        .iter()
        .map(|it| (it["goalId"].clone(), it["cause"].clone()))
        .collect();
    let expected = [(low, "complete"), (endless.clone(), "max_iterations")];
    assert_eq!(order, expected.map(|(id, cause)| (id.into(), cause.into())));
    let events = project.events();
    let turns = events
        .iter()
        .filter(|it| it["type"] == "iteration_validated");
    let turns: Vec<bool> = turns.map(|it| it["goalId"] == endless.as_str()).collect();
    assert_eq!(turns, [true, false, true, false, true, true, true]);
    // Each has one run, whoever had turns in between.
    assert_eq!(project.events_of_type("run_started").len(), 2);
}

#[test]
fn so_many_goals_are_worked_at_once_each_in_its_own_tree() {
    let meet = "pwd >>\"$here/where\"; >\"$here/in.$GOAL_SESSION\"
        while [ $(ls \"$here\" | grep -c '^in\\.') -lt 2 ]; do sleep 0.02; done";
    let (project, goals) = two_goals(&format!("{meet}; work; {DONE}"));
    let ran = project
        .run(&["run", "--all", "--jobs", "2", "--commit"])
        .ok();
    let trees: BTreeSet<String> = lines(&project, "where").into_iter().collect();
    let expected = goals.iter().map(|id| own_tree(&project, id).to_string());
    assert_eq!(trees, expected.collect());
    for id in &goals {
        assert!(
            ran.stdout.contains(&format!("git merge goal/{id}")),
            "{ran}"
        );
        assert_eq!(
            project
                .git(&["rev-list", "--count", &format!("main..goal/{id}")])
                .trim(),
            "1"
        );
    }
    assert_eq!(shared_events(&project, "goal_completed").len(), 2);
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn several_at_once_need_a_ledger_that_trees_share() {
    let (project, _) = super::with_agent(DONE);
    let refused = project
        .run(&["run", "--all", "--jobs", "2", "--json"])
        .exits(4);
    assert_eq!(refused.error_code(), "tree_unfit");
    project.run(&["run", "--jobs", "2"]).exits(2);
    project.run(&["run", "--all", "--jobs", "0"]).exits(2);
}

#[test]
fn no_agent_outlives_a_runner_of_several_goals_that_is_killed() {
    let (project, _) = two_goals("sleep 600");
    let mut run = project.call(&["run", "--all", "--jobs", "2"]).spawn();
    until("both agents work", || project.started() == 2);
    run.kill().unwrap();
    run.wait().unwrap();
    until("no agent is left", || project.running().is_empty());
    // The next runner goes on with both.
    configure(&project, auditor::APPROVE, DONE, "");
    project.run(&["run", "--all", "--jobs", "2"]).ok();
    let resumed = shared_events(&project, "run_started");
    assert_eq!(
        resumed
            .iter()
            .filter(|it| it["resumes"].is_string())
            .count(),
        2
    );
}

#[test]
fn an_interrupt_ends_the_runs_of_all_goals() {
    let wait = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done";
    let (project, goals) = two_goals(&format!("{wait}; work"));
    let run = project.call(&["run", "--all", "--jobs", "2"]).spawn();
    until("both agents work", || project.started() == 2);
    signalled(run.id(), "-INT");
    project.go();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let stopped = shared_events(&project, "run_stopped");
    let causes: Vec<_> = stopped
        .iter()
        .map(|it| it["cause"].as_str().unwrap())
        .collect();
    assert_eq!(causes, ["interrupted", "interrupted"]);
    for id in goals {
        let list = project.run(&["show", &id, "--json"]).ok().data();
        assert!(list.to_string().contains("\"paused\""), "{list}");
    }
    assert_eq!(project.started(), 2);
}

#[test]
fn a_goal_that_is_set_meanwhile_gets_its_turn() {
    let project = Project::new();
    let agent = format!(
        "if grep -q endless \"$here/prompt\"; then work; sleep 0.1; else {DONE}; fi; [ ! -e \"$here/go\" ] || {DONE}"
    );
    configure(&project, auditor::APPROVE, &agent, "");
    project.set("endless");
    let mut run = project
        .call(&["run", "--all", "--max-iterations", "none"])
        .spawn();
    found(|| project.events_of_type("iteration_validated").pop());
    let late = project.set("late");
    until("it is complete", || project.status(&late) == "complete");
    project.go();
    assert!(run.wait().unwrap().success());
}
