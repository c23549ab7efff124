//! kill -9 at random moments while eight writers append: nothing acknowledged is lost, and trying
//! again with the same key records nothing twice. `GOAL_KILL_SECONDS` makes it longer.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::oracle::{acknowledged, documents_whole, projected};
use crate::support::ledger::Verified;
use crate::support::lines::{event_id, lines};
use crate::support::{Project, Ran};
use crate::{from_environment, say};

const WRITERS: usize = 8;

/// The longest that a call lives before it is killed, if it is. Most take less to append, with
/// seven others at it, and none less to start.
const LIFE: Duration = Duration::from_millis(120);

/// What a writer did and was told.
#[derive(Debug, Default)]
struct Told {
    attempted: BTreeSet<String>,
    /// Notes with the id that their receipt gave.
    acknowledged: BTreeMap<String, String>,
    kills: usize,
}

#[test]
fn nothing_acknowledged_is_lost_when_writers_are_killed() {
    let seconds = from_environment("GOAL_KILL_SECONDS", 5);
    let (project, goal) = Project::with_goal("x");
    let before = project.ledger();
    let until = Instant::now() + Duration::from_secs(seconds);
    let told: Vec<Told> = thread::scope(|scope| {
        let write = |writer| {
            let (project, goal) = (&project, &goal);
            scope.spawn(move || write_until(project, goal, writer, until))
        };
        let writers: Vec<_> = (0..WRITERS).map(write).collect();
        let told = writers.into_iter().map(|writer| writer.join().unwrap());
        told.collect()
    });
    let kills: usize = told.iter().map(|told| told.kills).sum();
    let (replayed, torn) = replayed(&project);
    let mut lost = 0;
    for told in &told {
        for (note, id) in &told.acknowledged {
            lost += usize::from(replayed.get(note).is_none_or(|ids| !ids.contains(id)));
        }
    }
    let count: usize = told.iter().map(|told| told.acknowledged.len()).sum();
    say(&format!(
        "{seconds} s of kill -9, {WRITERS} writers: {kills} kills, {count} events acknowledged, \
         {lost} lost, {torn} torn lines sealed"
    ));
    assert_eq!(lost, 0);
    let twice = replayed.iter().find(|(_, ids)| ids.len() > 1);
    assert_eq!(twice, None);
    let attempted = |note: &String| told.iter().any(|told| told.attempted.contains(note));
    assert!(replayed.keys().all(attempted));
    assert!(project.ledger().starts_with(&before));
    assert!(kills > 0 && count > 0, "nothing happened");
    made_whole(&project, kills, torn);
}

/// One more command puts everything right but for the lines that a kill cut.
fn made_whole(project: &Project, kills: usize, torn: usize) {
    documents_whole(project, "after the kills");
    project.run(&["set", "other"]).ok();
    projected(project, "after the kills");
    documents_whole(project, "after the kills and another command");
    assert!(torn <= kills, "{torn} torn lines by {kills} kills");
    assert!(only_torn_lines(project).is_unbroken());
}

/// Nothing is wrong with the lines, but for those that a kill cut.
pub fn only_torn_lines(project: &Project) -> Verified {
    let verified = project.verified();
    let mut findings = verified.findings();
    findings.retain(|found| found["code"] != "malformed_line" || found["severity"] == "error");
    assert_eq!(findings, [] as [&Value; 0]);
    verified
}

/// Appends notes until the time is over. A note whose fate is not known is tried again with its
/// key until there is a receipt.
fn write_until(project: &Project, goal: &str, writer: usize, until: Instant) -> Told {
    let mut told = Told::default();
    let mut random = fastrand::Rng::with_seed(writer as u64);
    for number in 0.. {
        let note = format!("writer {writer} note {number}");
        loop {
            if Instant::now() >= until {
                return told;
            }
            told.attempted.insert(note.clone());
            let args = [
                "note",
                &note,
                "--goal",
                goal,
                "--key",
                &note,
                "--json",
                "--lock-timeout",
                "100",
            ];
            let mut child = project.call(&args).spawn();
            if random.u8(..3) > 0 {
                thread::sleep(LIFE.mul_f64(random.f64()));
                child.kill().unwrap();
            }
            let ran = Ran::new(project, &child.wait_with_output().unwrap());
            told.kills += usize::from(ran.signal == Some(9));
            assert!(ran.signal == Some(9) || ran.success(), "{ran}");
            if let Some(id) = acknowledged(&ran).pop() {
                told.acknowledged.insert(note, id);
                break;
            }
        }
    }
    told
}

/// The notes in the ledger with the ids of their lines, and how many lines are torn.
pub fn replayed(project: &Project) -> (BTreeMap<String, Vec<String>>, usize) {
    let mut notes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut torn = 0;
    for line in lines(&project.ledger()) {
        match serde_json::from_slice::<Value>(line) {
            Ok(event) => {
                if let Some(note) = event["note"].as_str() {
                    let ids = notes.entry(note.to_owned()).or_default();
                    ids.push(event_id(line));
                }
            }
            Err(_) => torn += 1,
        }
    }
    (notes, torn)
}
