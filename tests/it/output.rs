//! Output that cannot be written after the event is recorded: said on stderr, and exit 74, so
//! that nobody repeats the call.

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Project, Ran};

/// Runs the command with a stdout that takes nothing.
fn run_onto(project: &Project, args: &[&str], stdout: Stdio) -> Ran {
    let mut command: Command = project.call(args).command();
    command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped());
    Ran::new(
        project,
        &command.spawn().unwrap().wait_with_output().unwrap(),
    )
}

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[track_caller]
fn assert_recorded(project: &Project, ran: &Ran, note: &str) {
    assert_eq!(ran.code, Some(74), "{ran}");
    assert!(ran.stderr.contains("the event IS recorded"), "{ran}");
    assert_eq!(project.last_event()["note"], note);
}

#[test]
fn a_reader_that_went_away() {
    let (project, _) = Project::with_goal("x");
    for (note, args) in [("a", &["note", "a"][..]), ("b", &["note", "b", "--json"])] {
        let ran = run_onto(&project, args, closed_pipe());
        assert_recorded(&project, &ran, note);
    }
}

#[test]
fn a_full_device() {
    let Ok(_) = File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: this system has no /dev/full");
        return;
    };
    let (project, _) = Project::with_goal("x");
    for (note, args) in [("a", &["note", "a"][..]), ("b", &["note", "b", "--json"])] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = run_onto(&project, args, full.into());
        assert_recorded(&project, &ran, note);
    }
    // Nothing was recorded here, and nobody says that it was.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ran = run_onto(&project, &["resume", "--json"], full.into());
    assert_eq!(ran.code, Some(74), "{ran}");
    assert!(!ran.stderr.contains("IS recorded"), "{ran}");
}

#[test]
fn a_stdout_that_was_closed_before_the_start() {
    let (project, _) = Project::with_goal("x");
    let goal = env!("CARGO_BIN_EXE_goal");
    // Closed descriptors are given to /dev/null by the runtime, so the receipt goes nowhere; what
    // must not happen is that it lands in a file that got the number 1.
    let prepared = project.call(&[]).command();
    let environment = prepared
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let script = format!("exec {goal} note 'into the void' --json >&-");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script]).current_dir(&project.root);
    command.env_clear().envs(environment).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert_eq!(Ran::new(&project, &output).code, Some(0));
    assert_eq!(project.last_event()["note"], "into the void");
    assert_eq!(project.verified().findings(), [] as [&Value; 0]);
}

#[test]
fn all_streams_gone() {
    let (project, _) = Project::with_goal("x");
    let mut command = project.call(&["note", "alone"]).command();
    command
        .stdin(Stdio::null())
        .stdout(closed_pipe())
        .stderr(closed_pipe());
    let status = command.status().unwrap();
    assert_eq!(status.code(), Some(74));
    assert_eq!(project.last_event()["note"], "alone");
}

#[test]
fn stored_control_sequences_do_not_reach_the_terminal() {
    let (project, _) = Project::with_goal("x");
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m";
    for args in [&["note", evil][..], &["pause", "--reason", evil]] {
        let ran = project.run(&[args, &["--color", "never"]].concat()).ok();
        assert!(!ran.stdout.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{ran}");
    }
    let ran = project.run(&["note", "x", "--goal", evil]).exits(3);
    assert!(
        !ran.stderr.contains(['\u{1b}', '\u{7}', '\u{9b}']),
        "{:?}",
        ran.stderr
    );
}

#[test]
fn status_tells_of_the_goal_that_is_named() {
    let (project, named) = Project::with_goal("first");
    let focused = project.set("second");
    let ran = project.run(&["--goal", "first", "status"]).ok();
    assert!(ran.stdout.contains(&named), "{ran}");
    assert!(!ran.stdout.contains(&focused), "{ran}");
    let told = project.run(&["--goal", "first", "status", "--json"]).ok();
    assert_eq!(told.data()["goal"]["goalId"], *named);
    assert_eq!(told.data()["focusedGoalId"], *focused);
    let unknown = project.run(&["--goal", "nosuch", "status", "--json"]);
    assert_eq!(unknown.exits(3).error_code(), "unknown_goal");
}

#[test]
fn a_report_in_a_pipe_is_as_wide_as_columns_says() {
    let (project, _) = Project::with_goal("a goal whose title is longer than forty columns are");
    project.run(&["block", "--reason", "no access to it"]).ok();
    let report = project.call(&["report"]).env("COLUMNS", "40").run().ok();
    for line in report.stdout.lines() {
        assert!(line.chars().count() <= 40, "{line}");
    }
}
