//! The oracle, one for every fault: what was acknowledged is there, nothing is there that nobody
//! asked for or twice, no byte from before is gone, and the next run makes everything whole.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::scene::{Scene, documents};
use crate::support::ledger::Verified;
use crate::support::lines::{event_id, lines};
use crate::support::lock::Held;
use crate::support::{Project, Ran, project::marker, wait::until};

/// What makes things whole after a fault; each must do so alone.
#[derive(Debug, Clone, Copy)]
pub enum Cure {
    /// A command about something else.
    Another,
    /// The same command again, with the same key.
    Again,
    /// `goal repair`.
    Repair,
}

impl Cure {
    /// A different one for each fault in a row, of those that must do in this scene.
    pub fn number(scene: &Scene, number: usize) -> Cure {
        let cures: &[Cure] = match (scene.attempted.is_empty(), scene.audits()) {
            // Documents that people broke are mended by the command for it, or with their goal.
            (true, _) => &[Cure::Again],
            // Asking again for a verdict that is there only reads.
            (_, true) => &[Cure::Another, Cure::Repair],
            (_, false) => &[Cure::Another, Cure::Again, Cure::Repair],
        };
        cures[number % cures.len()]
    }
}

/// Exit codes that the program publishes, but for `internal`, which no fault excuses.
const PUBLISHED: [i32; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 74, 75, 130];

/// Judges one fault in a scene: what it left, then what the cure makes of it.
pub fn judge(scene: &Scene, ran: &Ran, cure: Cure, fault: &str) {
    let project = &scene.project;
    let context = format!("after {fault}\n{ran}\n");
    // A fault must not make the program mistake another directory for the root.
    assert_eq!(marker(project.root.parent().unwrap()), None, "{context}");
    let before = &scene.before;
    let ledger = project.ledger();
    whole(project, before, &context);
    let added = event_types(&ledger[before.len()..]);
    if scene.audits() {
        let unknown = added.iter().find(|name| !scene.attempted.contains(name));
        assert_eq!(unknown, None, "{context}");
    } else {
        let prefix = scene.attempted.starts_with(&added);
        assert!(prefix, "{added:?} was never attempted {context}");
    }
    said_the_truth(scene, ran, &ledger, &context);
    leases_whole(project, &context);
    // `repair` starts from broken ones.
    if !scene.attempted.is_empty() {
        documents_whole(project, &context);
    }

    let other = cured(scene, cure, &context);
    projected(project, &format!("cured by {cure:?} {context}"));
    documents_whole(project, &context);
    let again = scene.run();
    // Where the key could not be read, what was recorded has no seal, and stays unproven.
    let is_unsealed = again.stdout.contains("unproven: not sealed");
    assert!(again.did() || is_unsealed, "{context}tried again:\n{again}");
    exactly_once(
        scene,
        other.as_deref(),
        &format!("{context}again:\n{again}"),
    );
    let found = whole(project, &ledger, &context);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    // Nobody reads what the process says that audits.
    let unsealed = said.contains("recorded without a seal") || scene.audits();
    let unaccepted = said.contains("that this ledger is yours could not be noted");
    nothing_wrong(&found, [unsealed, unaccepted], &context);
}

/// Nothing is wrong with the ledger. A line that was recorded where the key could not be read has
/// no seal, and a ledger whose record could not be written is not accepted, which their writer has said.
fn nothing_wrong(found: &Verified, [unsealed, unaccepted]: [bool; 2], context: &str) {
    let said = |it: &serde_json::Value| {
        unsealed && it["code"] == "unsealed_line" || unaccepted && it["code"] == "ledger_unknown"
    };
    let findings = found.0["findings"].as_array().unwrap().iter();
    let wrong = findings.filter(|it| it["severity"] == "error" && !said(it));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?} {context}");
}

/// Every byte of `before` is there, every line is one of ours in its place and stands once, and
/// what is complete has passed the gate. Gives what `goal verify` says.
pub fn whole(project: &Project, before: &[u8], context: &str) -> Verified {
    let ledger = project.ledger();
    assert!(ledger.starts_with(before), "bytes are gone {context}");
    let all = ids(&ledger);
    let different: BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), all.len(), "a line twice {context}");
    let verified = project.verified();
    assert!(verified.is_unbroken(), "{verified:#?} {context}");
    let found = verified.findings();
    assert!(found.is_empty(), "{found:#?} {context}");
    if memchr::memmem::find(&ledger, b"\"goal_completed\"").is_some() {
        for goal in project.goals_listed() {
            let is_gated = goal["audited"] == "gated";
            assert_eq!(is_gated, goal["status"] == "complete", "{goal} {context}");
        }
    }
    verified
}

/// What the program said of the record is so.
fn said_the_truth(scene: &Scene, ran: &Ran, ledger: &[u8], context: &str) {
    let all = ids(ledger);
    for id in acknowledged(ran) {
        assert!(
            all.contains(&id),
            "{id} was acknowledged, and is not there {context}"
        );
    }
    let unchanged = *ledger == scene.before;
    let said = format!("{}{}", ran.stdout, ran.stderr);
    if said.contains("IS recorded") {
        assert!(!unchanged, "nothing is recorded {context}");
    }
    if said.contains("nothing is recorded and the ledger is as it was") && !scene.audits() {
        assert!(unchanged, "something is recorded {context}");
    }
    match ran.code {
        // The dynamic loader, or strace, could not even start it.
        Some(127) => assert!(unchanged, "{context}"),
        Some(code) => assert!(PUBLISHED.contains(&code), "exit {code} {context}"),
        None => {}
    }
}

/// The ids of the events that a run gave a receipt for, even if it was killed right afterwards.
pub fn acknowledged(ran: &Ran) -> Vec<String> {
    let Ok(document) = serde_json::from_str::<Value>(&ran.stdout) else {
        return Vec::new();
    };
    let events = document["data"]["events"].as_array();
    let text = |id: &Value| id.as_str().unwrap().to_owned();
    events.into_iter().flatten().map(text).collect()
}

/// Waits until no supervisor holds an audit lock: it outlives its caller, and a killed one takes
/// a moment to be gone.
pub fn audit_is_over(project: &Project) {
    let Ok(locks) = project.goals(".locks").read_dir_utf8() else {
        return;
    };
    for entry in locks {
        let path = entry.unwrap().into_path();
        until("the audit is over", || Held::at(&path).is_some());
    }
}

/// Cures, and says the goal that the cure created.
fn cured(scene: &Scene, cure: Cure, context: &str) -> Option<String> {
    let (ran, other) = match cure {
        Cure::Another => {
            let ran = scene.project.run(&["set", "other", "--json"]);
            let id = ran.data()["goalId"].as_str().map(str::to_owned);
            (ran, id)
        }
        Cure::Again => (scene.run(), None),
        Cure::Repair => (scene.project.run(&["repair"]), None),
    };
    assert!(ran.did(), "{context}the cure {cure:?}:\n{ran}");
    other
}

/// Every document is what the ledger makes of it.
pub fn projected(project: &Project, context: &str) {
    let stale = project.look(&["repair", "--dry-run"])["documents"].clone();
    assert_eq!(stale, json!([]), "{context}");
}

/// No document is empty or cut anywhere: its digest, which stands at its start, covers the rest.
/// Another tool's, which has none, is moved as a whole.
pub fn documents_whole(project: &Project, context: &str) {
    for path in documents(project) {
        let text = std::fs::read_to_string(&path).unwrap();
        let whole =
            is_as_written(&text) || text.starts_with('{') && text.ends_with("\n## Progress\n");
        assert!(whole, "{path} is not whole: {text:?} {context}");
    }
}

/// Whether a document has its Notes, and what stands before them is what its digest was made of: all
/// but the digest's own line.
fn is_as_written(text: &str) -> bool {
    let Some(notes) = text.find("\n## Notes\n") else {
        return false;
    };
    let (mut stated, mut hasher) = (None, blake3::Hasher::new());
    for line in text[..=notes].split_inclusive('\n') {
        match line.strip_prefix("digest: ") {
            Some(digest) if stated.is_none() => stated = Some(digest.trim_matches(['"', '\n'])),
            _ => {
                hasher.update(line.as_bytes());
            }
        }
    }
    stated == Some(&hasher.finalize().to_hex()[..16])
}

/// Every lease says all that it has to: none is half written, whatever was killed.
pub fn leases_whole(project: &Project, context: &str) {
    let Ok(locks) = project.goals(".locks").read_dir_utf8() else {
        return;
    };
    let names = locks.map(|entry| entry.unwrap().file_name().to_owned());
    let there = names.filter(|name| name.ends_with(".lock")).count();
    if there == 0 {
        return;
    }
    // None of them has lapsed at the beginning of all clocks.
    let call = project.call(&["lease", "list", "--json"]);
    let listed = call.env("GOAL_TEST_CLOCK", "1970-01-01T00:00:00.000Z");
    let leases = listed.run().ok().data()["leases"].clone();
    let held = leases.as_array().unwrap().iter();
    let held = held.filter(|lease| lease["standing"] == "held").count();
    assert_eq!(held, there, "{leases} {context}");
}

/// The command's events are there once, however often it was tried.
fn exactly_once(scene: &Scene, other: Option<&str>, context: &str) {
    let ledger = scene.project.ledger();
    let mut added = events(&ledger[scene.before.len()..]);
    added.retain(|event| other.is_none() || event["goalId"].as_str() != other);
    let mut names: Vec<&str> = added.iter().map(|e| e["type"].as_str().unwrap()).collect();
    let mut attempted: Vec<&str> = scene.attempted.iter().map(String::as_str).collect();
    if scene.audits() {
        // An interrupted audit is asked for again; the completion stands once all the same.
        names.retain(|name| *name == "goal_completed");
        attempted.retain(|name| *name == "goal_completed");
    } else if attempted.first() == Some(&"plan_requested") {
        // So is an interrupted plan: each time a planner is asked is on record, the plan once.
        names.retain(|name| *name != "plan_requested");
        attempted.retain(|name| *name != "plan_requested");
    }
    assert_eq!(names, attempted, "{context}");
}

/// The ids of all lines.
pub fn ids(ledger: &[u8]) -> Vec<String> {
    lines(ledger).map(event_id).collect()
}

/// The events of these lines, which must all be whole.
fn events(lines: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(lines).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "torn: {text:?}");
    let parse = |line| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

/// The types of the events of these lines.
pub fn event_types(lines: &[u8]) -> Vec<String> {
    let name = |event: &Value| event["type"].as_str().unwrap().to_owned();
    events(lines).iter().map(name).collect()
}
