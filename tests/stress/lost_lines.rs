//! Another program makes the ledger shorter, in place, while a command reads it. What is then shown
//! is the project as it was when its lines were first read, or an error: never half a goal without a
//! word.

use std::fs::OpenOptions;

use rustix::process::{Signal, kill_process};

use crate::support::{Project, Ran};
use crate::{say, strace};

/// Commands that look at a goal.
const READERS: &[&[&str]] = &[
    &["show", "--json"],
    &["list", "--json"],
    &["status", "--json"],
    &["summary"],
    &["next", "--json"],
    &["task", "tree", "--json"],
    &["prompt", "active", "--json"],
    &["prompt", "finalize", "--json"],
    &["tool", "get_goal"],
];

/// A moment of its own for every call would show in what is printed.
fn ran(project: &Project, args: &[&str], number: Option<usize>, cut: u64) -> (Ran, bool) {
    let call = project
        .call(args)
        .env("GOAL_TEST_CLOCK", "2026-02-01T00:00:00.000Z");
    let Some(number) = number else {
        return (call.run(), false);
    };
    let (child, pid) = strace::stopped(project, call, "pread64", number);
    if let Some(pid) = pid {
        let ledger = OpenOptions::new().write(true).open(project.ledger_path());
        ledger.unwrap().set_len(cut).unwrap();
        kill_process(pid, Signal::CONT).unwrap();
    }
    let ran = Ran::new(project, &child.wait_with_output().unwrap());
    (ran, pid.is_some())
}

#[test]
fn no_reader_shows_half_a_goal() {
    if let Err(why) = strace::usable() {
        return say(&format!(
            "SKIPPED: lines that go while they are read: no strace here ({why})"
        ));
    }
    let (project, _) = Project::with_goal("kept");
    let first = project.ledger().len() as u64;
    project.run(&["task", "add", "a task"]).ok();
    project.run(&["note", "a note"]).ok();
    let whole = project.ledger();
    let (mut refused, mut moments) = (0, 0);
    for args in READERS {
        project.put_ledger(&whole);
        let before = ran(&project, args, None, first).0.stdout;
        for number in 1.. {
            project.put_ledger(&whole);
            let (ran, was_stopped) = ran(&project, args, Some(number), first);
            if !was_stopped {
                assert_eq!(ran.ok().stdout, before, "{args:?}");
                break;
            }
            moments += 1;
            match ran.success() {
                // It had read every line before they went.
                true => assert_eq!(
                    ran.stdout, before,
                    "{args:?}, cut after reading {number}: it does not say that lines are lost"
                ),
                false => {
                    refused += 1;
                    assert_eq!(ran.code, Some(74), "{args:?}: {ran}");
                }
            }
        }
    }
    say(&format!(
        "the ledger cut at {moments} moments of reading: {refused} times an error, and never half a \
         goal"
    ));
    assert!(refused > 0, "no reader met it");
}
