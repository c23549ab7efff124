//! What a sync leaves out is never called synced: it is said first, remembered, and its way in is named.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{Clones, ledger, lines, planted};
use crate::support::Ran;

/// A line of `goal` behind one that nobody has.
fn unconnected(clones: &Clones) -> String {
    format!(
        "{{\"type\":\"goal_noted\",\"goalId\":\"{}\",\"note\":\"lost\",\
         \"at\":\"2026-01-01T00:01:00.000Z\",\"prev\":\"{}\"}}\n",
        clones.id,
        "a".repeat(32)
    )
}

fn first_line(ran: &Ran) -> &str {
    ran.stdout.lines().next().unwrap_or_default()
}

#[test]
fn lines_of_ours_that_are_left_fail_the_sync_until_they_came_in() {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    planted(&clones, "zz/b.jsonl", &unconnected(&clones));
    // Each sync says it again, whether it is the first to see them or not.
    for _ in 0..2 {
        let left = clones.at(1, &["sync"]).exits(4);
        assert!(first_line(&left).contains("1 not taken in"), "{left}");
        assert!(!left.stdout.contains("Nothing to sync"), "{left}");
        assert!(left.stderr.contains("`goal sync origin --join`"), "{left}");
        let json = clones.at(1, &["sync", "--json"]).exits(4);
        assert_eq!(json.error_code(), "not_taken_in");
        assert_eq!(json.json()["error"]["retryable"], false);
        assert_eq!(json.data()["exchange"]["unconnected"], 1);
        assert_eq!(json.data()["remotes"][0]["notTakenIn"], 1);
    }
    let dry = clones.at(1, &["sync", "--dry-run"]).exits(4);
    assert!(first_line(&dry).contains("1 not taken in"), "{dry}");
    // What is asked later without the remote says it too, and so does the inbox.
    let status = clones.at(1, &["sync", "--status"]).ok().stdout;
    assert!(status.contains("1 line there not taken in"), "{status}");
    assert!(!status.contains("everything is synced"), "{status}");
    let status = clones.at(1, &["status"]).ok().stdout;
    assert!(status.contains("1 line there not taken in"), "{status}");
    let inbox = clones.at(1, &["inbox"]).ok().stdout;
    assert!(inbox.contains("goal sync origin --join"), "{inbox}");
    // What is recorded here still goes over.
    clones.at(1, &["note", "more", "--goal", &clones.id]).ok();
    let left = clones.at(1, &["sync"]).exits(4);
    assert!(first_line(&left).contains("1 line sent"), "{left}");
    clones.at(0, &["sync"]).exits(4);
    assert!(
        lines(&clones.clones[0])
            .iter()
            .any(|it| it.contains("\"more\""))
    );
    // The user takes them in.
    let joined = clones.at(1, &["sync", "--join"]).ok();
    assert!(joined.stdout.contains("1 line came in"), "{joined}");
    let status = clones.at(1, &["sync", "--status"]).ok().stdout;
    assert!(status.contains("everything is synced"), "{status}");
    let again = clones.at(1, &["sync"]).ok();
    assert!(first_line(&again).contains("Nothing to sync"), "{again}");
}

#[test]
fn lines_of_other_programs_that_nobody_closes_are_named_and_no_failure() {
    let clones = Clones::new(2);
    clones.note_and_sync("base");
    planted(&clones, "zz/a.jsonl", "garbage\n");
    for _ in 0..2 {
        let left = clones.at(0, &["sync"]).ok();
        assert!(first_line(&left).contains("other programs"), "{left}");
        assert!(!left.stdout.contains("Nothing to sync"), "{left}");
        assert!(left.stdout.contains("1 line in the remote"), "{left}");
    }
    let status = clones.at(0, &["sync", "--status"]).ok().stdout;
    assert!(
        status.contains("1 line of other programs there"),
        "{status}"
    );
    // The same here.
    let path = ledger(&clones.clones[1]);
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"type\":\"theirs\"}\n");
    std::fs::write(&path, text).unwrap();
    let left = clones.at(1, &["sync"]).ok();
    assert!(first_line(&left).contains("other programs"), "{left}");
    assert!(left.stdout.contains("1 line new here"), "{left}");
}

#[test]
fn a_hook_says_what_was_not_taken_in() {
    let clones = Clones::new(1);
    clones.note_and_sync("base");
    planted(&clones, "zz/b.jsonl", &unconnected(&clones));
    let sync = "[sync]\nremote = \"origin\"\n";
    std::fs::write(clones.project.user_config(), sync).unwrap();
    let call = clones.project.call(&["hook", "stop", "--host", "claude"]);
    let input = format!(
        "{{\"session_id\":\"s\",\"cwd\":\"{}\",\"hook_event_name\":\"Stop\"}}",
        clones.project.root
    );
    let stopped = call.without("GOAL_ACTOR").stdin(&input).run().ok();
    assert!(
        stopped.stderr.contains("goal sync origin --join"),
        "{stopped}"
    );
}

/// As a sync leaves it whose git was killed: git refuses to write the reference as long as it is there.
#[test]
fn a_lock_that_a_killed_sync_left_in_git_holds_up_no_later_one() {
    let clones = Clones::new(1);
    clones.note_and_sync("first");
    let refs = clones.clones[0].join(".git/refs/goal");
    let remote = fs::read_dir(refs.join("remotes")).unwrap().next().unwrap();
    let lock = remote.unwrap().path().join("ledger.lock");
    let file = fs::File::create(&lock).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60))
        .unwrap();
    clones.note_and_sync("second");
    assert!(!lock.exists());
}
