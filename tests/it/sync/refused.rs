//! A remote that does not take the lines: what its owner forbids is not to be tried again later.

use std::fs;

use super::steps::sync_with;
use super::{Clones, ledger, lines, set_executable};

/// A script in git's place whose every push ends as a forge's does that answers this.
fn answering(porcelain: &str, stderr: &str) -> String {
    format!(
        "case \"$*\" in *' push '*) printf '{porcelain}'; echo '{stderr}' >&2; exit 1;; esac\n\
         exec $GIT \"$@\""
    )
}

fn rejected(why: &str) -> String {
    format!("To origin\\n!\\t0123:refs/goal/ledger\\t[remote rejected] ({why})\\nDone\\n")
}

#[test]
fn what_the_remote_forbids_is_refused_and_says_what_to_ask_for() {
    let clones = Clones::new(1);
    let before = fs::read(ledger(&clones.clones[0])).unwrap();
    let project = &clones.project;
    let hook = clones.remote.join("hooks/pre-receive");
    let count = project.aside.join("hooked");
    let script = format!("#!/bin/sh\necho x >> {count}\necho closed on Sundays >&2\nexit 1\n");
    fs::write(&hook, script).unwrap();
    set_executable(&hook);
    let closed = project.run(&["sync", "--json"]).exits(5);
    assert_eq!(closed.error_code(), "push_refused");
    let error = &closed.json()["error"];
    assert_eq!(error["retryable"], false);
    let said = error["message"].as_str().unwrap();
    assert!(said.contains("closed on Sundays"), "{said}");
    assert!(said.contains("pre-receive hook declined"), "{said}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("refs/goal/*"), "{hint}");
    // What is refused is not tried again.
    assert_eq!(fs::read_to_string(&count).unwrap(), "x\n");
    assert_eq!(fs::read(ledger(&clones.clones[0])).unwrap(), before);
    fs::remove_file(&hook).unwrap();
    project.run(&["sync"]).ok();
}

#[test]
fn forges_say_in_different_words_that_they_forbid_it() {
    let clones = Clones::new(1);
    let forbid = [
        answering(&rejected("protected branch hook declined"), ""),
        answering(&rejected("deny updating a hidden ref"), ""),
        answering(&rejected("prohibited by Gerrit: not permitted"), ""),
        answering("", "remote: Permission to o/r.git denied to somebody."),
        answering("", "fatal: The requested URL returned error: 403"),
    ];
    for script in forbid {
        let ran = sync_with(&clones, 0, &script).exits(5);
        assert_eq!(ran.error_code(), "push_refused", "{script}");
    }
    let later = [
        answering(&rejected("unpacker error"), "no space left on device"),
        answering(&rejected("internal server error"), ""),
        answering("", "fatal: the remote end hung up unexpectedly"),
        answering("", "fatal: The requested URL returned error: 503"),
    ];
    for script in later {
        let ran = sync_with(&clones, 0, &script).exits(75);
        assert_eq!(ran.error_code(), "not_synced", "{script}");
    }
    // Who was slower tries again at once.
    let races = ["failed to update ref", "cannot lock ref 'refs/goal/ledger'"];
    for why in races {
        clones.project.run(&["note", why]).ok();
        let once = format!(
            "[ -e $COUNT.{} ] && exec $GIT \"$@\"\n\
             case \"$*\" in *' push '*) : > $COUNT.{};; esac\n{}",
            why.len(),
            why.len(),
            answering(&rejected(&why.replace('\'', "")), "")
        );
        sync_with(&clones, 0, &once).ok();
    }
    assert_eq!(lines(&clones.clones[0]).len(), 4);
}
