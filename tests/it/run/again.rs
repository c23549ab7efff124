//! A run that is gone on with works as the run before it did, and what is said to go on is a command that
//! works.

use std::fs;
use std::process::Command;

use super::own_tree::{own_tree, repository, shared_events};
use super::{DONE, configure, found, role, with_agent};
use crate::support::{Project, Ran, auditor};

/// The commands between backticks that this hint names.
fn commands(hint: &str) -> Vec<Vec<String>> {
    let quoted = hint.split('`').skip(1).step_by(2);
    let commands = quoted.filter_map(|it| it.strip_prefix("goal "));
    commands
        .map(|it| it.split(' ').map(str::to_owned).collect())
        .collect()
}

/// Runs the command that a stopped run says goes on with it.
fn go_on(project: &Project, stopped: &Ran) -> Ran {
    let hint = stopped.stderr.lines().find(|it| it.contains("goes on"));
    let hint = hint.unwrap_or_else(|| panic!("{stopped}"));
    let command = commands(hint).pop().unwrap();
    let args: Vec<&str> = command.iter().map(String::as_str).collect();
    project.run(&args)
}

fn commits(project: &Project, id: &str) -> String {
    let range = format!("main..goal/{id}");
    project
        .git(&["rev-list", "--count", &range])
        .trim()
        .to_owned()
}

const OWN: [&str; 5] = ["run", "--worktree", "--commit", "--max-iterations", "1"];

#[test]
fn the_next_run_has_the_goals_tree_and_its_commits_unless_told_otherwise() {
    let (project, id) = repository("work; pwd >>\"$here/where\"");
    let stopped = project.run(&OWN).exits(6);
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    let on = go_on(&project, &stopped).ok();
    assert!(on.stderr.contains("as the goal's last run did"), "{on}");
    assert_eq!(commits(&project, &id), "2");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let started = shared_events(&project, "run_started");
    for it in &started {
        assert_eq!(
            (&it["worktree"], &it["commit"]),
            (&true.into(), &true.into())
        );
        assert_eq!(it.get("plan"), None);
    }
    let (project, id) = repository("work");
    project.run(&OWN).exits(6);
    let here = [
        "run",
        "--no-worktree",
        "--no-commit",
        "--max-iterations",
        "1",
    ];
    project.run(&here).exits(6);
    assert!(project.root.join("work").exists());
    assert_eq!(commits(&project, &id), "1");
    assert_eq!(project.git(&["rev-list", "--count", "main"]).trim(), "1");
    let last = shared_events(&project, "run_started").pop().unwrap();
    assert_eq!((last.get("worktree"), last.get("commit")), (None, None));
}

#[test]
fn a_goal_that_ctrl_c_paused_goes_on_as_it_was() {
    let (project, id) =
        repository("work; >\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done");
    let run = project.call(&["run", "--worktree", "--commit"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    let pid = run.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    project.go();
    let stopped = Ran::new(&project, &run.wait_with_output().unwrap()).exits(130);
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    go_on(&project, &stopped).ok();
    assert_eq!(commits(&project, &id), "2");
    // Wherever the project's focus is by then, the pause names its goal.
    let paused = shared_events(&project, "goal_paused").pop().unwrap();
    let says = format!("`goal run {id}` goes on with it");
    assert_eq!(paused["suggestedAction"], says);
}

#[test]
fn a_run_whose_runner_was_killed_goes_on_as_it_was() {
    let (project, id) =
        repository(">\"$here/began\"; while [ ! -e \"$here/go\" ]; do sleep 0.02; done");
    let mut run = project.call(&["run", "--worktree", "--commit"]).spawn();
    found(|| project.aside.join("began").exists().then_some(()));
    run.kill().unwrap();
    run.wait().unwrap();
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    project.run(&["run"]).ok();
    assert_eq!(commits(&project, &id), "1");
}

#[test]
fn who_stands_in_the_goals_own_tree_goes_on_there() {
    let (project, id) = repository("work");
    project.run(&OWN).exits(6);
    let tree = own_tree(&project, &id);
    let run = ["run", &id, "--max-iterations", "1"];
    project.call(&run).cwd(&tree).run().exits(6);
    assert_eq!(commits(&project, &id), "2");
}

#[test]
fn each_goal_of_all_goes_on_where_it_was() {
    let (project, id) = repository("work");
    project.run(&OWN).exits(6);
    project.run(&["set", "Other work"]).ok();
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    project.run(&["run", "--all"]).ok();
    assert_eq!(commits(&project, &id), "2");
    assert_eq!(project.git(&["status", "--porcelain"]), "?? work\n");
}

#[test]
fn a_plan_that_was_asked_for_is_made_by_the_run_that_goes_on() {
    let (project, _) = with_agent("work");
    role(&project, "planner", "no plan");
    let stopped = project
        .run(&["run", "--plan", "--max-iterations", "1"])
        .exits(6);
    assert!(stopped.stderr.contains("No plan came about"), "{stopped}");
    let part = |gloss: &str| {
        format!(
            r#"{{"gloss":"{gloss}","pred":{{"name":"execute"}},"doneWhen":[],"successCriteria":["it stands"]}}"#
        )
    };
    let part = ["walls", "roof", "door"].map(part).join(",");
    let plan = format!(r#"{{"subgoals":[{part}],"decomp":"AND","source":"scripted"}}"#);
    configure(&project, auditor::APPROVE, &format!("work; {DONE}"), "");
    role(&project, "planner", &plan);
    go_on(&project, &stopped).ok();
    assert_eq!(project.events_of_type("task_list_set").len(), 1);
}

#[test]
fn what_only_the_call_knows_is_said_with_the_command() {
    let (project, id) = with_agent("work");
    let config = fs::read_to_string(project.user_config()).unwrap();
    let without = config.split("[runner.agent]").next().unwrap().to_owned();
    let agent = project.script("own agent", "#!/bin/sh\ncat >/dev/null; echo x >>work");
    let chmod = Command::new("chmod").args(["+x", agent.as_str()]).status();
    assert!(chmod.unwrap().success());
    project.configure(&without);
    let run = [
        "run",
        "--agent-command",
        agent.as_str(),
        "--max-iterations",
        "1",
    ];
    let stopped = project.run(&run).exits(6);
    let says = format!("--agent-command '{agent}'` goes on");
    assert!(stopped.stderr.contains(&says), "{stopped}");
    // The inbox asks for the path: whoever writes into the ledger starts no program.
    let needs = project.look(&["inbox"])["needs"].clone();
    let again = format!("goal run --goal {id} --agent-command PATH");
    assert_eq!(needs[0]["command"], again, "{needs:#}");
    project.configure(&config);
    let needs = project.look(&["inbox"])["needs"].clone();
    assert_eq!(needs[0]["command"], again, "{needs:#}");
}

#[test]
fn commits_that_were_not_asked_for_this_time_are_refused_with_the_way_out() {
    let (project, _) = repository("work");
    project
        .run(&["run", "--commit", "--max-iterations", "1"])
        .exits(6);
    fs::remove_dir_all(project.root.join(".git")).unwrap();
    let refused = project.run(&["run", "--json"]).exits(4);
    let hint = refused.json()["error"]["hint"].to_string();
    assert!(hint.contains("--no-commit"), "{hint}");
    project
        .run(&["run", "--no-commit", "--max-iterations", "1"])
        .exits(6);
}
