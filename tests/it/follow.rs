//! `goal log`: what a follower hears while lines are appended and git changes the file, and the order
//! of what is printed once.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::support::{Project, wait::until};

/// A follower from the beginning, and what it prints.
fn follower(project: &Project, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let args = [&["log", "--follow", "--json"], args].concat();
    let mut command = project.call(&args).command();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    (child, stdout)
}

fn next(stdout: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn what_is_appended_is_shown_once_whoever_appends_it() {
    let (project, id) = Project::with_goal("x");
    let (mut child, mut stdout) = follower(&project, &["--since", "0"]);
    assert_eq!(next(&mut stdout)["type"], "goal_created");
    assert_eq!(next(&mut stdout)["type"], "goal_focused");
    project.run(&["note", "ours"]).ok();
    assert_eq!(next(&mut stdout)["note"], "ours");
    let mut ledger = String::from_utf8(project.ledger()).unwrap();
    ledger.push_str(&format!(
        "{{\"type\":\"goal_noted\",\"goalId\":\"{id}\",\"note\":\"theirs\",\"at\":\"2026-01-01T00:00:09Z\"}}\n"
    ));
    // Replaced, as an editor does.
    fs::write(project.goals("new"), ledger).unwrap();
    fs::rename(project.goals("new"), project.ledger_path()).unwrap();
    assert_eq!(next(&mut stdout)["note"], "theirs");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A project with a goal, and a line that its ledger has on another side: a note.
fn with_side() -> (Project, Vec<u8>) {
    let (project, _) = Project::with_goal("Write docs");
    let base = project.ledger();
    project.run(&["note", "aside"]).ok();
    let side = project.ledger()[base.len()..].to_vec();
    project.put_ledger(base);
    (project, side)
}

/// Puts another file in the ledger's place, as a merge does.
fn replace(project: &Project, parts: &[&[u8]]) {
    fs::write(project.goals("new"), parts.concat()).unwrap();
    fs::rename(project.goals("new"), project.ledger_path()).unwrap();
}

/// The notes in the order in which they come.
fn notes(lines: &str) -> Vec<&str> {
    let of = |line: &'static str| lines.find(line).map(|at| (at, line));
    let mut found: Vec<_> = ["aside", "mainly", "later"]
        .into_iter()
        .filter_map(of)
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn after_a_merge_a_follower_hears_reset_and_then_what_it_was_not_given() {
    let (project, aside) = with_side();
    let base = project.ledger();
    project.run(&["note", "mainly"]).ok();
    let mainly = project.ledger()[base.len()..].to_vec();
    let (mut child, mut stdout) = follower(&project, &["--since", "0"]);
    for expected in ["goal_created", "goal_focused"] {
        assert_eq!(next(&mut stdout)["type"], expected);
    }
    assert_eq!(next(&mut stdout)["note"], "mainly");
    // The lines of the side come before those of ours: the last line is where it was not.
    replace(&project, &[&base, &aside]);
    let reset = next(&mut stdout);
    assert_eq!((&reset["reset"], &reset["gone"]), (&true.into(), &1.into()));
    assert!(reset["message"].is_string(), "{reset}");
    assert_eq!(next(&mut stdout)["note"], "aside");
    replace(&project, &[&base, &aside, &mainly]);
    project.run(&["note", "later"]).ok();
    // What was given before the merge is not given again.
    assert_eq!(next(&mut stdout)["note"], "later");
    let lines: Vec<Value> = project.events();
    let noted: Vec<&Value> = lines.iter().map(|it| &it["note"]).collect();
    assert_eq!(noted[2..], ["aside", "mainly", "later"]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_a_follower_passed_over_at_its_start_counts_as_given() {
    let (project, aside) = with_side();
    let base = project.ledger();
    project.run(&["note", "mainly"]).ok();
    let (mut child, mut stdout) = follower(&project, &["--limit", "1"]);
    assert_eq!(next(&mut stdout)["note"], "mainly");
    project.run(&["note", "later"]).ok();
    assert_eq!(next(&mut stdout)["note"], "later");
    // On the other side, so that its line comes first in the file.
    let ours = project.ledger()[base.len()..].to_vec();
    replace(&project, &[&base, &aside, &ours]);
    let reset = next(&mut stdout);
    assert_eq!((&reset["reset"], &reset["gone"]), (&true.into(), &0.into()));
    assert_eq!(next(&mut stdout)["note"], "aside");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_is_printed_once_comes_in_the_order_of_replay_and_json_in_that_of_the_file() {
    let (project, aside) = with_side();
    project.run(&["note", "mainly"]).ok();
    replace(&project, &[&project.ledger(), &aside]);
    let by_file = project.run(&["log", "--json"]).ok().stdout;
    assert_eq!(notes(&by_file), ["mainly", "aside"]);
    let by_file = project.run(&["log", "--since", "0"]).ok().stdout;
    assert_eq!(notes(&by_file), ["mainly", "aside"]);
    // `aside` was written first.
    let replayed = project.run(&["log"]).ok().stdout;
    assert_eq!(notes(&replayed), ["aside", "mainly"]);
    let numbers = replayed
        .lines()
        .map(|it| it.split_whitespace().next().unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), ["1", "2", "4", "3"]);
    let latest = project.run(&["log", "--limit", "1"]).ok().stdout;
    assert_eq!(notes(&latest), ["mainly"]);
    let id = project.events()[0]["goalId"].clone();
    let goal = project.run(&["log", "--goal", id.as_str().unwrap()]);
    let goal = goal.ok().stdout;
    assert_eq!(notes(&goal), ["aside", "mainly"]);
    project.run(&["note", "later"]).ok();
    let replayed = project.run(&["log"]).ok().stdout;
    assert_eq!(notes(&replayed), ["aside", "mainly", "later"]);
}

#[test]
fn a_follower_ends_with_its_reader() {
    let (project, _) = Project::with_goal("x");
    let (mut child, mut stdout) = follower(&project, &[]);
    next(&mut stdout);
    drop(stdout);
    // Nothing is appended any more that it could fail to print.
    until("the follower ends", || child.try_wait().unwrap().is_some());
    assert!(child.wait().unwrap().success());
}
