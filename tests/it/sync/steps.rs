//! A sync that ends at any of git's steps: killed before or after it, refused, or cut off behind a push
//! that the remote took; and others that are faster. A script in git's place does it.

use std::fs;

use super::{Clones, lines, set_executable};
use crate::support::Ran;

/// Syncs the clone, where the script runs in place of git. It gets git's path as GIT, and the number
/// of the call as NUMBER.
pub(super) fn sync_with(clones: &Clones, clone: usize, script: &str) -> Ran {
    let bin = clones.project.aside.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut dirs = std::env::split_paths(&path).map(|dir| dir.join("git"));
    let git = dirs.find(|git| git.is_file()).unwrap();
    let count = clones.project.aside.join("count");
    fs::write(&count, "").unwrap();
    let script = format!(
        "#!/bin/sh\nGIT={}\nCOUNT={count}\nprintf x >> $COUNT\nNUMBER=$(wc -c < $COUNT)\n{script}\n",
        git.display()
    );
    fs::write(bin.join("git"), script).unwrap();
    set_executable(&bin.join("git"));
    let call = clones.project.call(&["sync", "--json"]);
    let call = call.env("PATH", &format!("{bin}:{path}"));
    call.cwd(&clones.clones[clone]).run()
}

/// How often git was called by the last [`sync_with`].
fn calls(clones: &Clones) -> usize {
    let count = clones.project.aside.join("count");
    usize::try_from(fs::metadata(count).unwrap().len()).unwrap()
}

/// Ends a sync that takes in and sends at each step of git, as the script says; then all clones are
/// synced, and nothing is lost and nothing twice.
fn ended_at_each_step(script: impl Fn(usize) -> String) {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    let mut step = 1;
    loop {
        clones.at(0, &["note", &format!("a {step}")]).ok();
        clones.at(0, &["sync"]).ok();
        let receipt = clones.at(1, &["note", &format!("b {step}"), "--goal", &clones.id]);
        receipt.ok();
        let before = lines(&clones.clones[1]);
        let ran = sync_with(&clones, 1, &script(step));
        assert!(
            before.is_subset(&lines(&clones.clones[1])),
            "step {step}\n{ran}"
        );
        let ended = calls(&clones) < step;
        clones.at(1, &["sync"]).ok();
        clones.at(0, &["sync"]).ok();
        clones.are_equal();
        if ended {
            assert!(ran.success(), "{ran}");
            break;
        }
        step += 1;
    }
    assert!(step > 8, "only {step} steps");
    let notes = lines(&clones.clones[0]);
    let notes = notes.iter().filter(|it| it.contains("goal_noted"));
    assert_eq!(notes.count(), 2 + 2 * step);
}

#[test]
fn a_sync_that_is_killed_before_any_step_loses_nothing() {
    ended_at_each_step(|step| {
        format!("[ $NUMBER = {step} ] && {{ kill -9 $PPID; exit 1; }}\nexec $GIT \"$@\"")
    });
}

#[test]
fn a_sync_that_is_killed_after_any_step_loses_nothing() {
    ended_at_each_step(|step| {
        format!(
            "[ $NUMBER = {step} ] || exec $GIT \"$@\"\n$GIT \"$@\" > /dev/null 2>&1\nkill -9 $PPID"
        )
    });
}

#[test]
fn a_sync_whose_git_fails_at_any_step_loses_nothing() {
    // As on a full disk. One that fails once in a push is tried again.
    ended_at_each_step(|step| {
        format!("[ $NUMBER -ge {step} ] && {{ echo no space >&2; exit 128; }}\nexec $GIT \"$@\"")
    });
}

#[test]
fn a_remote_that_takes_the_lines_and_drops_the_connection_has_them_once() {
    let clones = Clones::new(2);
    clones.project.run(&["note", "one"]).ok();
    let cut = "case \"$*\" in *' push '*) $GIT \"$@\"; exit 128;; esac\nexec $GIT \"$@\"";
    let synced = sync_with(&clones, 0, cut).ok().data();
    assert_eq!(synced["exchange"]["sent"], lines(&clones.clones[0]).len());
    clones.at(1, &["sync"]).ok();
    clones.are_equal();
    assert_eq!(
        clones.project.run(&["sync", "--json"]).ok().data()["exchange"]["sent"],
        0
    );
}

#[test]
fn who_was_slower_takes_the_others_lines_in_and_sends_again() {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    clones.at(0, &["note", "slow"]).ok();
    clones.at(1, &["note", "fast", "--goal", &clones.id]).ok();
    // Right before the first push the other clone syncs.
    let goal = env!("CARGO_BIN_EXE_goal");
    let other = &clones.clones[1];
    let race = format!(
        "case \"$*\" in *' push '*) [ -e $COUNT.once ] || {{ : > $COUNT.once; \
         (cd {other} && PATH=$(dirname $GIT):$PATH {goal} sync > /dev/null); }};; esac\n\
         exec $GIT \"$@\""
    );
    let synced = sync_with(&clones, 0, &race).ok().data();
    assert_eq!(synced["exchange"]["taken"], 1, "{synced}");
    assert_eq!(synced["exchange"]["sent"], 1, "{synced}");
    clones.at(1, &["sync"]).ok();
    clones.are_equal();
}
