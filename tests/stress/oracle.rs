//! The oracle, one for every fault: what was acknowledged is there, nothing is there that nobody
//! asked for or twice, no byte from before is gone, and the next run makes everything whole.

use std::collections::BTreeSet;

use goal_ledger::internals::documents::notes::is_edited;
use goal_ledger::internals::domain::diagnostic::Code;
use goal_ledger::internals::domain::goal::chain::Audited;
use goal_ledger::internals::domain::goal::state::Status;
use goal_ledger::internals::domain::id::EventId;
use goal_ledger::internals::domain::lease::{Found, LeaseStatus};
use goal_ledger::internals::ledger::frame;
use goal_ledger::internals::ledger::lock::FileLock;
use goal_ledger::internals::projection::plan_all;
use goal_ledger::internals::workspace::{Paths, leases};
use serde_json::Value;

use crate::scene::{Scene, documents};
use crate::support::{Project, Ran, project::unmarked, wait::until};

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

/// What the fault may have left besides.
const EXCUSED: [Code; 1] = [Code::OrphanedFile];

/// Exit codes that the program publishes, but for `internal`, which no fault excuses.
const PUBLISHED: [i32; 11] = [0, 1, 2, 3, 4, 5, 6, 7, 74, 75, 130];

/// Judges one fault in a scene: what it left, then what the cure makes of it.
pub fn judge(scene: &Scene, ran: &Ran, cure: Cure, fault: &str) {
    let project = &scene.project;
    let context = format!("after {fault}\n{ran}\n");
    // A fault must not make the program mistake another directory for the root.
    unmarked(project.root.parent().unwrap());
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
    assert!(again.success(), "{context}tried again:\n{again}");
    exactly_once(
        scene,
        other.as_deref(),
        &format!("{context}again:\n{again}"),
    );
    whole(project, &ledger, &context);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    // Nobody reads what the process says that audits.
    verified(
        project,
        said.contains("recorded without a seal") || scene.audits(),
        &context,
    );
}

/// Nothing is wrong with the ledger. A line that was recorded where the key could not be read has
/// no seal, which its writer has said.
fn verified(project: &Project, unsealed: bool, context: &str) {
    let found = project.run(&["verify", "--json"]).data();
    let wrong = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["severity"] == "error" && !(unsealed && it["code"] == "unsealed_line"));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?} {context}");
}

/// Every byte of `before` is there, every line is one of ours in its place and stands once, and
/// what is complete has passed the gate.
pub fn whole(project: &Project, before: &[u8], context: &str) {
    let ledger = project.ledger();
    assert!(ledger.starts_with(before), "bytes are gone {context}");
    let all = ids(&ledger);
    let different: BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), all.len(), "a line twice {context}");
    let chain = project.chain();
    assert_eq!((chain.broken.count, chain.jumps), (0, 0), "{context}");
    let snapshot = project.snapshot();
    let findings = snapshot.diagnostics.iter();
    let found: Vec<_> = findings
        .filter(|found| !EXCUSED.contains(&found.code))
        .collect();
    assert!(found.is_empty(), "{found:#?} {context}");
    for goal in snapshot.state.goals.values() {
        if goal.status == Status::Complete {
            let audited = snapshot.audited(goal).unwrap();
            assert_eq!(audited, Some(Audited::Gated), "{context}");
        }
    }
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
        until("the audit is over", || {
            FileLock::try_acquire(&path).unwrap().is_some()
        });
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
    assert!(ran.success(), "{context}the cure {cure:?}:\n{ran}");
    other
}

/// Every document is what the ledger makes of it.
pub fn projected(project: &Project, context: &str) {
    let (snapshot, paths) = (project.snapshot(), Paths::new(&project.root));
    let stale: Vec<_> = plan_all(&snapshot, &paths)
        .map(|(id, plan)| (id, plan.err()))
        .collect();
    assert!(stale.is_empty(), "stale: {stale:?} {context}");
}

/// No document is empty or cut anywhere: its digest, which stands at its start, covers the rest.
/// Another tool's, which has none, is moved as a whole.
pub fn documents_whole(project: &Project, context: &str) {
    for path in documents(project) {
        let text = std::fs::read_to_string(&path).unwrap();
        let ours = !is_edited(&text) && text.contains("\n## Notes\n");
        let whole = ours || text.starts_with('{') && text.ends_with("\n## Progress\n");
        assert!(whole, "{path} is not whole: {text:?} {context}");
    }
}

/// Every lease says all that it has to: none is half written, whatever was killed.
pub fn leases_whole(project: &Project, context: &str) {
    let paths = Paths::new(&project.root);
    for id in leases::goals(&paths).unwrap() {
        let found = leases::find(&paths, &id, 0).unwrap();
        let whole = matches!(found, Some(Found::Lease(_, LeaseStatus::Held)));
        assert!(whole, "{found:?} {context}");
    }
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
    let mut ids = Vec::new();
    frame::scan(ledger, |raw| {
        ids.push(EventId::of_line(raw.bytes).to_string())
    })
    .unwrap();
    ids
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
