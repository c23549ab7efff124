//! Many writers at once, and ledgers that end badly: no acknowledged event is lost, no line is
//! damaged.

use std::collections::BTreeMap;
use std::thread;

use serde_json::Value;

use crate::support::Project;

const WRITERS: usize = 16;

/// How often each of them appends, unless `GOAL_APPENDS` says otherwise. The full 200 take minutes
/// with a debug build, whose replay is slow, and seconds with a release build.
const APPENDS: usize = 25;

/// A number from the environment, for runs that may take longer.
fn from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn sixteen_writers_lose_and_damage_nothing() {
    let appends = from_environment("GOAL_APPENDS", APPENDS);
    let (project, _) = Project::with_goal("x");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let project = &project;
            scope.spawn(move || {
                for number in 0..appends {
                    let note = format!("{writer} {number}");
                    project.run(&["note", &note, "--lock-timeout", "100"]).ok();
                }
            });
        }
    });
    let mut next = BTreeMap::new();
    for event in project.events_of_type("goal_noted") {
        let (writer, number) = event["note"].as_str().unwrap().split_once(' ').unwrap();
        let expected = next.entry(writer.to_owned()).or_insert(0);
        assert_eq!(
            number.parse::<usize>().unwrap(),
            *expected,
            "of writer {writer}"
        );
        *expected += 1;
    }
    assert_eq!(next.len(), WRITERS);
    assert!(next.values().all(|count| *count == appends), "{next:?}");
    assert_eq!(project.events().len(), 2 + WRITERS * appends);
    assert_clean(&project);
}

/// No diagnostic, and every line links to the one right before it.
#[track_caller]
fn assert_clean(project: &Project) {
    let verified = project.verified();
    assert_eq!(verified.findings(), [] as [&Value; 0]);
    assert!(verified.is_unbroken(), "{verified:?}");
    let count = |name: &str| verified.0[name].as_u64().unwrap();
    assert_eq!(count("linked"), count("lines"));
    assert_eq!(count("covered") + 1, count("lines"));
}

#[test]
fn a_last_line_cut_anywhere_stays_as_it_is_and_the_next_event_is_a_line_of_its_own() {
    let (project, id) = Project::with_goal("x");
    project.run(&["note", "n"]).ok();
    let whole = project.ledger();
    let end = whole.len();
    let start = whole[..end - 1]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .unwrap()
        + 1;
    for cut in start..=end {
        let old = &whole[..cut];
        project.put_ledger(old);
        project.run(&["note", "after the cut"]).ok();
        let new = project.ledger();
        assert!(
            new.starts_with(old),
            "cut at {}: the old bytes changed",
            cut - start
        );
        let added = &new[cut..];
        let torn = cut > start && cut < end;
        let added = match torn {
            true => added.strip_prefix(b"\n").unwrap(),
            false => added,
        };
        let event: Value = serde_json::from_slice(added).unwrap();
        assert_eq!(event["note"], "after the cut");
        assert!(added.ends_with(b"\n"));

        assert_eq!(project.status(&id), "active");
        let malformed = torn && cut != end - 1;
        let verified = project.verified();
        let found = verified.findings();
        assert_eq!(found.len(), usize::from(malformed), "{found:?}");
        assert!(verified.is_unbroken(), "cut at {}", cut - start);
    }
}

#[test]
fn a_ledger_damaged_in_other_ways_is_appended_to_all_the_same() {
    let (project, _) = Project::with_goal("x");
    let whole = project.ledger();
    for tail in [
        &b"\n\n\n"[..],
        b"\r\n",
        b"\xff\xfe not text",
        b"{\"type\":\"goal_noted\"}\n",
        b"nul \0 nul",
        &[b'x'; 2 * 1024 * 1024],
    ] {
        let old = [&whole[..], tail].concat();
        project.put_ledger(&old);
        project.run(&["note", "after the damage"]).ok();
        let new = project.ledger();
        assert!(new.starts_with(&old));
        let last = new[..new.len() - 1]
            .rsplit(|&byte| byte == b'\n')
            .next()
            .unwrap();
        let event: Value = serde_json::from_slice(last).unwrap();
        assert_eq!(event["note"], "after the damage");
    }
}
