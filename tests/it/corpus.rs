//! A walk over real ledgers and documents of other projects, when they lie beside the repository.
//!
//! They are not part of it: where they are missing, each test says that it skipped. The program is
//! run on copies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::schemas::printed;
use crate::support::Project;
use crate::support::tree::hash_tree;

/// Where the corpus lies; nothing, with a word about it, where there is none.
fn place() -> Option<Utf8PathBuf> {
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
const STOPPED: [(&str, &str, &str); 6] = [
    ("ArchdevilForge+kairos", "mrrr85eo-p1cs4h", "paused"),
    ("winterhuan+teams", "mrhyxs1q-bliu1z", "paused"),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrlxitw0-ukq7rj",
        "paused",
    ),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrnx9bvy-wx3v3g",
        "aborted",
    ),
    (
        "happytomatoe+android-cloud-speech-to-text",
        "mrnybir8-hmqkv1",
        "aborted",
    ),
    ("tuna-os+tunaOS", "mqclbgsz-cnsqlt", "aborted"),
];

#[test]
fn a_pause_or_an_end_that_only_a_document_tells_counts() {
    let Some(corpus) = place() else { return };
    for (project, id, status) in STOPPED {
        let sandbox = copy(&corpus.join(project));
        let goal = sandbox.goal(id);
        assert_eq!(goal["status"], status, "{project} {id}");
        let why = goal["pause"]["reason"].as_str();
        let says_why = why.is_some_and(|reason| reason.len() > 20);
        assert_eq!(says_why, status == "paused", "{project} {id}");
        let is_focused = sandbox.look(&["status"])["focusedGoalId"] == id;
        assert!(status == "paused" || !is_focused, "{project} {id}");
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
    let events = printed("events");
    let kinds = events["oneOf"].as_array().unwrap().iter();
    let known: BTreeSet<&str> = kinds.map(|it| it["title"].as_str().unwrap()).collect();
    let bad = [
        "malformed_line",
        "malformed_event",
        "conflict_marker",
        "torn_tail",
    ];
    for project in projects() {
        let verified = copy(&project).look(&["verify"]);
        let findings = verified["findings"].as_array().unwrap();
        let of = |code: &str| findings.iter().filter(|it| it["code"] == code).count();
        assert!(
            bad.iter().all(|code| of(code) == 0),
            "{project}: {verified}"
        );
        let ledger = fs::read_to_string(project.join(".pi/goals/goal_events.jsonl")).unwrap();
        let unknown = ledger.lines().filter(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            !known.contains(event["type"].as_str().unwrap())
        });
        let mut kinds = verified["notListed"].as_array().into_iter().flatten();
        let more = kinds.find(|it| it["code"] == "unknown_event");
        let more = more.map_or(0, |it| it["count"].as_u64().unwrap());
        assert_eq!(
            of("unknown_event") as u64 + more,
            unknown.count() as u64,
            "{project}: unknown types are kept and counted"
        );
    }
}

#[test]
fn every_goal_has_the_state_that_the_older_reducer_gives() {
    for project in projects() {
        let sandbox = copy(&project);
        let ledger = fs::read_to_string(sandbox.ledger_path()).unwrap();
        let expected = oracle(&ledger);
        for (id, (status, verdict)) in &expected {
            let goal = sandbox.goal(id);
            // What only a document stopped the reducer of the ledger cannot know.
            let stopped = STOPPED.iter().find(|(_, it, _)| it == id);
            let status = stopped.map_or(&**status, |(_, _, status)| *status);
            assert_eq!(goal["status"], status, "{project}: {id}");
            let found = goal["latestVerdict"].as_str();
            assert_eq!(found, verdict.as_deref(), "{project}: {id}");
        }
        // Goals beyond the ledger's are those that only a document knows.
        for row in sandbox.goals_listed() {
            let id = row["goalId"].as_str().unwrap();
            let is_only_in_document = sandbox.goal(id)["revision"].is_null();
            assert_eq!(
                expected.contains_key(id),
                !is_only_in_document,
                "{project}: {id}"
            );
        }
    }
}

/// The documents of a project, those in the archive too, each with its goal.
fn documents(project: &Project) -> Vec<(String, Utf8PathBuf)> {
    let dirs = [project.goals(""), project.goals("archived")];
    let entries = dirs.iter().filter_map(|dir| dir.read_dir_utf8().ok());
    let paths = entries.flatten().map(|entry| entry.unwrap().into_path());
    let named = paths.filter_map(|path| {
        let name = path.file_name()?.strip_suffix(".md")?;
        let kinds = ["active_goal_", "goal_"];
        let rest = kinds.iter().find_map(|kind| name.strip_prefix(kind))?;
        let (_, id) = rest.split_once('_')?;
        Some((id.to_owned(), path.clone()))
    });
    named.collect()
}

#[test]
fn every_open_goal_has_the_objective_of_its_document() {
    let mut seen = 0;
    for project in projects() {
        let sandbox = copy(&project);
        let documents = documents(&sandbox);
        for (id, path) in &documents {
            let goal = sandbox.goal(id);
            let text = fs::read_to_string(path).unwrap();
            let (_, body) = text.split_once("# Goal Prompt\n").unwrap();
            let (objective, _) = body.split_once("\n## Progress").unwrap();
            if documents.iter().filter(|(other, _)| other == id).count() == 1 {
                assert_eq!(goal["objective"], objective.trim(), "{project}: {path}");
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
        let open = sandbox.look(&["list"])["goals"].clone();
        let open = open.as_array().unwrap().iter();
        let open: Vec<&str> = open.map(|row| row["goalId"].as_str().unwrap()).collect();
        for id in open.iter().copied() {
            if sandbox.status(id) != "active" {
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
