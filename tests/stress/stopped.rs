//! A writer that is stopped in the middle of its append keeps everybody else out, and no longer
//! than it lives: the lock is what makes all else true, and the system gives it back.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::mounts::wrapped;
use crate::oracle::{projected, whole};
use crate::say;
use crate::strace;
use crate::support::{Project, wait::until};

#[test]
fn a_stopped_writer_keeps_others_out_until_it_is_killed() {
    if let Err(why) = strace::usable() {
        return say(&format!(
            "SKIPPED: a stopped writer: no strace here ({why})"
        ));
    }
    let (project, _) = Project::with_goal("x");
    let log = project.aside.join("trace");
    let stop = [
        "-e",
        "trace=fdatasync",
        "-e",
        "inject=fdatasync:signal=STOP:when=1",
    ];
    let words = [&["strace", "-f", "-o", log.as_str()], &stop[..]].concat();
    let inner = project.call(&["note", "stopped"]).command();
    let mut first = wrapped(&words, &inner);
    let mut first = first
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let trace = || fs::read_to_string(&log).unwrap_or_default();
    until("the writer is stopped", || {
        trace().contains("stopped by SIGSTOP")
    });
    let before = project.ledger();
    assert_eq!(project.last_event()["note"], "stopped");

    let second = ["note", "second", "--json", "--lock-timeout", "0.5"];
    let ran = project.run(&second).exits(75);
    assert_eq!(ran.error_code(), "lock_timeout", "{ran}");
    assert_eq!(project.ledger(), before, "who has no lock writes nothing");
    project.run(&["status"]).ok();
    let third = project.call(&["note", "third", "--lock-timeout", "600"]);
    let mut third = third.command().stdout(Stdio::null()).spawn().unwrap();
    until("another stands in the lock's queue", || {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let own = format!(" {} ", third.id());
        locks
            .lines()
            .any(|it| it.contains("->") && it.contains(&own))
    });
    kill_process(Pid::from_child(&third), Signal::INT).unwrap();
    let ended = third.wait().unwrap();
    assert_eq!(ended.signal(), Some(Signal::INT.as_raw()), "{ended}");
    assert_eq!(project.ledger(), before, "Ctrl-C ends the wait");

    let pid = trace().split_whitespace().next().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    first.wait().unwrap();
    project.run(&second).ok();
    whole(&project, &before, "after a stopped writer was killed");
    projected(&project, "after a stopped writer was killed");
}
