//! `goal log --follow`: what is appended is shown while it runs, and it ends with its reader.

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
