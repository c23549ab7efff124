//! Two moments that the loops meet only by chance, held open on purpose: a request is asked again
//! whose first call died between its record and its document, and `complete` is asked again while
//! the verdict comes.

use std::fs;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::mounts::wrapped;
use crate::oracle::{projected, whole};
use crate::say;
use crate::strace;
use crate::support::{Project, Ran, wait::until};

/// Whether strace is not to be had, which is then said.
fn cannot_trace(what: &str) -> bool {
    let why = strace::usable().err();
    if let Some(why) = &why {
        say(&format!("SKIPPED: {what}: no strace here ({why})"));
    }
    why.is_some()
}

#[test]
fn a_killed_request_that_is_asked_again_gets_its_document() {
    if cannot_trace("a request asked again after a kill") {
        return;
    }
    let (project, id) = Project::with_goal("x");
    let pause = ["pause", "--reason", "r", "--key", "k", "--json"];
    // Documents are synced by `fsync`, the ledger by `fdatasync`: it dies in between.
    let words = ["strace", "-o", "/dev/null", "-e"];
    let words = [&words[..], &["inject=fsync:signal=KILL:when=1"]].concat();
    let mut first = wrapped(&words, &project.call(&pause).command());
    let ran = Ran::new(&project, &first.output().unwrap());
    assert_eq!((ran.signal, ran.stdout.as_str()), (Some(9), ""), "{ran}");
    assert_eq!(project.status(&id), "paused", "it died after the record");
    let before = project.ledger();

    let again = project.run(&pause).ok();
    assert_eq!(again.data()["repeated"], true, "{again}");
    assert_eq!(project.ledger(), before, "nothing is there twice");
    projected(&project, "after the killed request was asked again");
}

#[test]
fn complete_asked_again_while_the_verdict_comes_gives_it() {
    if cannot_trace("the verdict that comes while it is asked for") {
        return;
    }
    let (project, id) = Project::with_goal("x");
    project.auditor(
        "touch \"$here/at\"; while [ ! -e \"$here/leave\" ]; do sleep 0.01; done\n\
         echo '<approved/>'\n",
    );
    let complete = ["complete", "--json", "--lock-timeout", "60"];
    let first = project.call(&complete).spawn();
    until("the auditor thinks", || project.aside.join("at").exists());

    // The second one has seen an open goal that somebody audits, and no more when it is stopped.
    let log = project.aside.join("trace");
    let stop = ["-e", "trace=flock", "-e", "inject=flock:signal=STOP:when=1"];
    let words = [&["strace", "-f", "-o", log.as_str()], &stop[..]].concat();
    let mut second = wrapped(&words, &project.call(&complete).command());
    let piped = second.stdout(Stdio::piped()).stderr(Stdio::piped());
    let second = piped.stdin(Stdio::null()).spawn().unwrap();
    let trace = || fs::read_to_string(&log).unwrap_or_default();
    until("the second caller is stopped", || {
        trace().contains("stopped by SIGSTOP")
    });

    fs::write(project.aside.join("leave"), "").unwrap();
    let ran = Ran::new(&project, &first.wait_with_output().unwrap());
    assert_eq!(ran.ok().data()["verdict"], "approved");
    assert_eq!(project.status(&id), "complete");
    let before = project.ledger();

    let pid = trace().split_whitespace().next().unwrap().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::CONT).unwrap();
    let ran = Ran::new(&project, &second.wait_with_output().unwrap()).ok();
    assert_eq!(ran.data()["verdict"], "approved", "{ran}");
    assert_eq!(project.ledger(), before, "asking again only reads");
    whole(&project, &before, "after the verdict was asked for again");
}
