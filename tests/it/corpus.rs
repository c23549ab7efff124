//! A walk over real ledgers and documents of other projects, when they lie beside the repository.
//!
//! They are not part of it: where they are missing, each test says that it skipped. Everything
//! that writes does so on a copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use goal_ledger::internals::domain::diagnostic::Code;
use goal_ledger::internals::domain::event::Payload;
use goal_ledger::internals::domain::goal::state::Status;
use goal_ledger::internals::snapshot::Snapshot;
use goal_ledger::internals::workspace::Paths;
use serde_json::Value;

use crate::support::Project;
use crate::support::tree::hash_tree;

/// Where the corpus lies; nothing, with a word about it, where there is none.
pub fn place() -> Option<Utf8PathBuf> {
    let beside = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let corpus = std::env::var("GOAL_CORPUS").map_or(beside, Utf8PathBuf::from);
    if !corpus.is_dir() {
        eprintln!("skipped: no corpus at {corpus} (set GOAL_CORPUS to one)");
        return None;
    }
    Some(corpus)
}

/// The projects of the corpus, sorted.
fn projects() -> Vec<Utf8PathBuf> {
    let Some(corpus) = place() else {
        return Vec::new();
    };
    let entries = corpus.read_dir_utf8().unwrap();
    let mut found: Vec<Utf8PathBuf> = entries
        .map(|entry| entry.unwrap().path().to_owned())
        .filter(|path| path.join(".pi/goals/goal_events.jsonl").is_file())
        .collect();
    found.sort();
    found
}

fn read(project: &Utf8Path) -> Snapshot {
    Snapshot::read(&Paths::new(&project.canonicalize_utf8().unwrap())).unwrap()
}

/// A copy of a project's `.pi/goals` in a sandbox.
fn copy(project: &Utf8Path) -> Project {
    let sandbox = Project::new();
    let (from, to) = (project.join(".pi/goals"), sandbox.root.join(".pi/goals"));
    for (dir, target) in [
        (from.clone(), to.clone()),
        (from.join("archived"), to.join("archived")),
    ] {
        let Ok(entries) = dir.read_dir_utf8() else {
            continue;
        };
        fs::create_dir_all(&target).unwrap();
        for entry in entries {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                // Not `fs::copy`: the corpus may be read-only, and the copy must not be.
                let bytes = fs::read(entry.path()).unwrap();
                fs::write(target.join(entry.file_name()), bytes).unwrap();
            }
        }
    }
    sandbox
}

/// Goals that only their documents stopped: project, goal, and how it stands.
const STOPPED: [(&str, &str, Status); 6] = [
    ("ArchdevilForge+kairos", "mrrr85eo-p1cs4h", Status::Paused),
    ("winterhuan+teams", "mrhyxs1q-bliu1z", Status::Paused),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrlxitw0-ukq7rj",
        Status::Paused,
    ),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrnx9bvy-wx3v3g",
        Status::Aborted,
    ),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrnybir8-hmqkv1",
        Status::Aborted,
    ),
    ("tuna-os+tunaOS", "mqclbgsz-cnsqlt", Status::Aborted),
];

#[test]
fn a_pause_or_an_end_that_only_a_document_tells_counts() {
    let Some(corpus) = place() else { return };
    for (project, id, status) in STOPPED {
        let state = read(&corpus.join(project)).state;
        let goal = &state.goals[&id.parse().unwrap()];
        assert_eq!(goal.status, status, "{project} {id}");
        let says_why = goal.pause.as_ref().is_some_and(|it| it.reason.len() > 20);
        assert_eq!(says_why, status == Status::Paused, "{project} {id}");
        let focus = goal_ledger::internals::domain::focus::focused(&state, None);
        assert!(
            status.is_open() || focus != Some(&goal.id),
            "{project} {id}"
        );
    }
}

/// What the older extension's reducer makes of a ledger, written as naively as possible: status
/// and latest verdict of each goal.
fn oracle(ledger: &str) -> BTreeMap<String, (String, Option<String>)> {
    let mut goals: BTreeMap<String, (String, Option<String>)> = BTreeMap::new();
    for line in ledger.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let Some(id) = event["goalId"].as_str() else {
            continue;
        };
        let status = match event["type"].as_str().unwrap() {
            "goal_created" | "goal_resumed" => Some("active"),
            "goal_paused" => Some("paused"),
            "goal_completed" => Some("complete"),
            "goal_aborted" => Some("aborted"),
            _ => None,
        };
        let goal = goals
            .entry(id.to_owned())
            .or_insert_with(|| ("active".to_owned(), None));
        let ended = ["complete", "aborted"].contains(&goal.0.as_str());
        if let (Some(status), false) = (status, ended) {
            goal.0 = status.to_owned();
        }
        if event["type"] == "audit_result" {
            goal.1 = event["verdict"].as_str().map(str::to_owned);
        }
    }
    goals
}

#[test]
fn every_ledger_reads_without_a_malformed_line() {
    for project in projects() {
        let snapshot = read(&project);
        let bad = [
            Code::MalformedLine,
            Code::MalformedEvent,
            Code::ConflictMarker,
            Code::TornTail,
        ];
        let found: Vec<_> = snapshot
            .diagnostics
            .iter()
            .filter(|found| bad.contains(&found.code))
            .collect();
        assert!(found.is_empty(), "{project}: {found:?}");
        let ledger = fs::read_to_string(project.join(".pi/goals/goal_events.jsonl")).unwrap();
        let unknown = ledger.lines().filter(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            !Payload::NAMES.contains(&event["type"].as_str().unwrap())
        });
        let kept: u64 = snapshot.state.unknown.values().sum();
        assert_eq!(
            kept,
            unknown.count() as u64,
            "{project}: unknown types are kept and counted"
        );
    }
}

#[test]
fn every_goal_has_the_state_that_the_older_reducer_gives() {
    for project in projects() {
        let snapshot = read(&project);
        let ledger = fs::read_to_string(project.join(".pi/goals/goal_events.jsonl")).unwrap();
        let expected = oracle(&ledger);
        for (id, (status, verdict)) in &expected {
            let goal = &snapshot.state.goals[&id.parse().unwrap()];
            // What only a document stopped the reducer of the ledger cannot know.
            let stopped = STOPPED.iter().find(|(_, it, _)| it == id);
            let status = stopped.map_or(&**status, |(_, _, status)| status.name());
            assert_eq!(goal.status.name(), status, "{project}: {id}");
            let found = goal.latest_verdict().map(|verdict| verdict.to_string());
            assert_eq!(&found, verdict, "{project}: {id}");
        }
        // Goals beyond the ledger's are those that only a document knows.
        for goal in snapshot.state.goals.values() {
            let known = expected.contains_key(goal.id.as_str());
            assert_eq!(known, goal.events > 0, "{project}: {}", goal.id);
        }
    }
}

#[test]
fn every_open_goal_has_the_objective_of_its_document() {
    let mut seen = 0;
    for project in projects() {
        let snapshot = read(&project);
        for entry in snapshot.documents().unwrap() {
            let goal = &snapshot.state.goals[&entry.id];
            let text = fs::read_to_string(&entry.path).unwrap();
            let (_, body) = text.split_once("# Goal Prompt\n").unwrap();
            let (objective, _) = body.split_once("\n## Progress").unwrap();
            if snapshot
                .documents()
                .unwrap()
                .filter(|other| other.id == entry.id)
                .count()
                == 1
            {
                assert_eq!(goal.contract.objective, objective.trim(), "{}", entry.path);
                seen += 1;
            }
        }
    }
    eprintln!("{seen} documents compared");
}

#[test]
fn reading_leaves_every_byte_untouched() {
    for project in projects() {
        let sandbox = copy(&project);
        let before = hash_tree(&sandbox.root);
        for args in [
            &["list", "--all"][..],
            &["list", "--all", "--json"],
            &["status"],
            &["summary"],
            &["log", "--limit", "1000"],
            &["log", "--json"],
            &["prompt", "guide"],
            &["doctor"],
            &["verify"],
            &["drafts"],
            &["config"],
        ] {
            let ran = sandbox.run(args);
            assert!(matches!(ran.code, Some(0 | 7)), "{project} {args:?}\n{ran}");
        }
        for id in oracle(&fs::read_to_string(sandbox.goals("goal_events.jsonl")).unwrap()).keys() {
            sandbox.run(&["show", id]).ok();
        }
        assert_eq!(hash_tree(&sandbox.root), before, "{project}");
    }
}

#[test]
fn writing_keeps_the_old_bytes_as_a_prefix() {
    for project in projects() {
        let sandbox = copy(&project);
        sandbox.auditor("echo fine; echo '<approved/>'");
        let ledger = sandbox.goals("goal_events.jsonl");
        let old = fs::read(&ledger).unwrap();
        let open: Vec<String> = {
            let snapshot = read(&sandbox.root);
            snapshot
                .state
                .open()
                .iter()
                .map(|goal| goal.id.to_string())
                .collect()
        };
        for id in &open {
            let paused = read(&sandbox.root).state.goals[&id.parse().unwrap()].status;
            if paused != Status::Active {
                sandbox.run(&["resume", "--goal", id]).ok();
            }
            sandbox.run(&["note", "looked at", "--goal", id]).ok();
            sandbox
                .run(&["pause", "--reason", "a test", "--goal", id])
                .ok();
            sandbox.run(&["resume", "--goal", id]).ok();
            let completed =
                sandbox.run(&["complete", "--goal", id, "--evidence", "seen", "--json"]);
            // Tasks of the other tool may hold the completion.
            assert!(
                matches!(completed.code, Some(0 | 5)),
                "{project} {id}\n{completed}"
            );
        }
        let new = fs::read(&ledger).unwrap();
        assert!(new.starts_with(&old), "{project}: the old bytes changed");
        assert_eq!(new.len() > old.len(), !open.is_empty(), "{project}");
        sandbox.run(&["verify"]).ok();
    }
}

#[test]
fn archived_documents_of_others_are_never_touched() {
    for project in projects() {
        let sandbox = copy(&project);
        let archived = sandbox.goals("archived");
        let names = |dir: &Utf8Path| -> BTreeSet<(String, Vec<u8>)> {
            let Ok(entries) = dir.read_dir_utf8() else {
                return BTreeSet::new();
            };
            let entry = |entry: std::io::Result<camino::Utf8DirEntry>| {
                let entry = entry.unwrap();
                (
                    entry.file_name().to_owned(),
                    fs::read(entry.path()).unwrap(),
                )
            };
            entries.map(entry).collect()
        };
        let before = names(&archived);
        sandbox.run(&["set", "a goal of ours"]).ok();
        sandbox.run(&["repair"]).ok();
        assert!(names(&archived).is_superset(&before), "{project}");
    }
}
