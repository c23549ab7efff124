//! Git replaces the ledger while writers append: checkouts back to back, and a stash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::lines::{event_id, lines};
use crate::support::{Project, Ran};

/// What a writer of the storm was told.
#[derive(Debug, Default)]
struct Told {
    /// The ids it got a receipt for.
    acknowledged: Vec<String>,
    /// How often it was told that nothing was recorded for certain, by error code.
    refused: BTreeMap<String, usize>,
}

/// Branches whose ledgers differ are committed to and checked out in turn while four writers
/// append. `GOAL_STORM_SECONDS` makes it longer.
///
/// Git takes lines out of the file in the work tree and puts others there; the home has all of them.
#[test]
fn a_storm_of_checkouts_overwrites_no_acknowledged_event() {
    let seconds = std::env::var("GOAL_STORM_SECONDS").map_or(4, |text| text.parse().unwrap());
    let (project, id) = Project::with_goal("x");
    two_branches(&project);
    let over = AtomicBool::new(false);
    let told: Vec<Told> = thread::scope(|scope| {
        let write = |writer| {
            let (project, id, over) = (&project, &id, &over);
            scope.spawn(move || write_until(project, id, writer, over))
        };
        let writers: Vec<_> = (0..4).map(write).collect();
        let (checkouts, protected) = storm(&project, Duration::from_secs(seconds));
        eprintln!("{checkouts} checkouts, {protected} kept away by what was not committed");
        over.store(true, Ordering::Relaxed);
        let told = writers.into_iter().map(|writer| writer.join().unwrap());
        told.collect()
    });

    let kept = every_line_kept(&project);
    for (writer, told) in told.iter().enumerate() {
        let lost = told.acknowledged.iter().filter(|id| !kept.contains(*id));
        assert_eq!(
            lost.count(),
            0,
            "acknowledged to writer {writer}, and nowhere"
        );
        let count = told.acknowledged.len();
        eprintln!("writer {writer}: {count} acknowledged, {:?}", told.refused);
    }
    assert_eq!(project.verified().findings(), [] as [&Value; 0]);
}

/// Commits the ledger to `main`, and another, longer one to `side`.
fn two_branches(project: &Project) {
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "main"]);
    project.git(&["checkout", "-q", "-b", "side"]);
    project.run(&["note", "only here"]).ok();
    project.git(&["commit", "-q", "-a", "-m", "side"]);
}

/// Commits and checks out, to and fro, until the time is over and enough has happened. How often
/// it checked out, and how often git refused to overwrite what was not committed.
fn storm(project: &Project, length: Duration) -> (usize, usize) {
    let begun = Instant::now();
    let (mut checkouts, mut protected) = (0, 0);
    while begun.elapsed() < length || checkouts < 6 {
        // There may be nothing to commit.
        project.try_git(&["commit", "-q", "-a", "-m", "more"]);
        let ran = project.try_git(&["checkout", "-q", ["main", "side"][checkouts % 2]]);
        let protects = ran.stderr.contains("would be overwritten by checkout");
        assert!(
            ran.success() || protects,
            "a checkout failed because of us:\n{ran}"
        );
        checkouts += usize::from(ran.success());
        protected += usize::from(protects);
    }
    (checkouts, protected)
}

fn write_until(project: &Project, id: &str, writer: usize, over: &AtomicBool) -> Told {
    let mut told = Told::default();
    for number in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let note = format!("writer {writer} note {number}");
        let ran = project.run(&["note", &note, "--goal", id, "--json"]);
        if ran.success() {
            let event = ran.data()["events"][0].as_str().unwrap().to_owned();
            told.acknowledged.push(event);
        } else {
            *told.refused.entry(excused(&ran)).or_default() += 1;
        }
    }
    told
}

/// The code of an error that a writer may get while git replaces the ledger: it moved three times
/// in a row, or was away just then.
#[track_caller]
fn excused(ran: &Ran) -> String {
    let code = ran.error_code();
    assert!(
        ["ledger_moved", "unknown_goal"].contains(&code.as_str()),
        "{ran}"
    );
    code
}

/// The ids of all lines in the home.
fn every_line_kept(project: &Project) -> BTreeSet<String> {
    let home = project.root.join(".git/goal/goal_events.jsonl");
    lines(&std::fs::read(home).unwrap()).map(event_id).collect()
}

#[test]
fn what_a_stash_takes_out_of_the_file_is_still_there() {
    let (project, _) = Project::with_goal("x");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "main"]);
    project.run(&["note", "one"]).ok();
    project.run(&["note", "two"]).ok();
    project.git(&["stash", "-q"]);
    assert_eq!(project.events_of_type("goal_noted"), [] as [Value; 0]);
    let ran = project.run(&["note", "three", "--json"]).ok();
    assert_eq!(ran.data().get("notices"), None, "{ran}");
    let notes = || {
        let noted = project.events_of_type("goal_noted").into_iter();
        noted.map(|it| it["note"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(notes(), ["one", "two", "three"]);
    project.git(&["checkout", "-q", "."]);
    project.run(&["note", "four"]).ok();
    assert_eq!(notes(), ["one", "two", "three", "four"]);
    project.run(&["verify", "--strict"]).ok();
}
