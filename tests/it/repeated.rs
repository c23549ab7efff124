//! The same request, with one `--key`, recorded on two branches that git then merges: it counts once.

use serde_json::Value;

use crate::project;
use crate::support::lines::event_id;
use crate::support::{Project, Ran, auditor};

/// Does this in each of two clones, first on `side`; the project is on `main` afterwards.
fn on_both(project: &Project, act: impl Fn(&str)) {
    project.in_another_clone(|| {
        project.git(&["checkout", "-q", "-b", "side"]);
        act("side");
        project.commit();
    });
    project.git(&["checkout", "-q", "main"]);
    act("main");
    project.commit();
}

/// Merges each into the other, and asks `see` after it: the answers are the same.
#[track_caller]
fn merged(project: &Project, see: impl Fn() -> Value) -> Value {
    let main = project.git(&["rev-parse", "main"]);
    project.git(&["merge", "-q", "-m", "merged", "side"]);
    let one = see();
    project.git(&["checkout", "-q", "side"]);
    project.git(&["merge", "-q", "-m", "merged", main.trim()]);
    assert_eq!(see(), one);
    project.git(&["checkout", "-q", "main"]);
    one
}

/// What `verify` says of repeated requests, which it passes.
fn found(project: &Project) -> Vec<Value> {
    let verify = project.run(&["verify", "--strict", "--json"]);
    let verify = match verify.success() {
        true => verify,
        // Before the next line the heads are not covered.
        false => project.run(&["verify", "--json"]).ok(),
    };
    let found = verify.data()["findings"].as_array().unwrap().clone();
    let is_one = |it: &Value| it["code"] == "repeated_request";
    found.into_iter().filter(is_one).collect()
}

fn note(project: &Project, text: &str, key: &str) -> Ran {
    project.run(&["note", text, "--key", key, "--json"]).ok()
}

#[test]
fn a_note_counts_once_and_whoever_asks_again_gets_the_first_answer() {
    let project = Project::under_git();
    on_both(&project, |branch| {
        note(&project, "read it", "k1");
        note(&project, branch, "k2");
    });
    let notes = merged(&project, || {
        project.run(&["show", "--json"]).ok().data()["goal"]["notes"].clone()
    });
    let texts = notes.as_array().unwrap().iter().map(|it| &it["text"]);
    // The key is of the request with its text: of `k2` there are two.
    assert_eq!(texts.collect::<Vec<_>>(), ["read it", "side", "main"]);
    let found = found(&project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], "information");
    let lines = project.events().len();
    let again = note(&project, "read it", "k1").data();
    assert_eq!(project.events().len(), lines);
    let first = project.git(&["show", "side:.pi/goals/goal_events.jsonl"]);
    let first = first.lines().nth(2).unwrap();
    let id = event_id(first);
    let receipt = (&again["repeated"], &again["events"]);
    assert_eq!(receipt, (&true.into(), &Value::from(vec![id])));
}

#[test]
fn a_goal_is_set_once() {
    let project = Project::under_git();
    on_both(&project, |_| {
        project.run(&["set", "Ship it", "--key", "k"]).ok();
    });
    let rows = merged(&project, || {
        let list = project.run(&["list", "--all", "--json"]).ok().data();
        list["goals"].clone()
    });
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows:?}");
    assert_eq!(found(&project).len(), 1);
    // The document that git brought of the second goal is nobody's.
    let messages = found(&project);
    let hint = messages[0]["hint"].as_str().unwrap();
    assert!(hint.contains("document"), "{hint}");
    project.run(&["note", "go on"]).ok();
    let lines = project.events().len();
    let again = project
        .run(&["set", "Ship it", "--key", "k", "--json"])
        .ok();
    let goal = again.data()["goalId"].clone();
    let first = rows
        .as_array()
        .unwrap()
        .iter()
        .any(|it| it["goalId"] == goal);
    assert!(first && project.events().len() == lines, "{again}");
}

#[test]
fn a_second_goal_that_was_worked_on_stays() {
    let project = Project::under_git();
    on_both(&project, |branch| {
        project.run(&["set", "Ship it", "--key", "k"]).ok();
        project.run(&["note", branch]).ok();
    });
    let rows = merged(&project, || {
        let list = project.run(&["list", "--all", "--json"]).ok().data();
        list["goals"].clone()
    });
    assert_eq!(rows.as_array().unwrap().len(), 3, "{rows:?}");
    assert_eq!(found(&project).len(), 1);
}

#[test]
fn a_completion_stays_gated() {
    let project = Project::under_git();
    project.auditor(auditor::APPROVE);
    on_both(&project, |branch| {
        project.run(&["pause", "--reason", "r", "--key", "p"]).ok();
        project.run(&["resume", "--key", "r"]).ok();
        if branch == "side" {
            project.run(&["complete", "--key", "k"]).ok();
        }
    });
    let seen = merged(&project, || {
        let list = project.run(&["list", "--all", "--json"]).ok().data();
        let goal = &list["goals"][0];
        Value::from(vec![goal["status"].clone(), goal["audited"].clone()])
    });
    assert_eq!(seen, Value::from(vec!["complete", "gated"]));
    let messages = found(&project);
    assert_eq!(messages.len(), 2);
    let both = |it: &Value| it["message"].as_str().unwrap().contains("both count");
    assert!(messages.iter().all(both), "{messages:?}");
}

#[test]
fn second_copies_are_in_no_list_and_no_count() {
    let (project, id) = Project::with_goal("Port the parser");
    project.auditor(auditor::DISAPPROVE);
    project.run(&["complete", "--json"]);
    project.run(&["note", "n"]).ok();
    let told = || {
        let data = |args: &[&str]| project.run(args).ok().data();
        let report = data(&["report", "--all", "--json"]);
        let verify = data(&["verify", "--json"]);
        [
            data(&["audits", "--json"]),
            data(&["runs", "--json"]),
            data(&["show", &id, "--json"]),
            report["figures"].clone(),
            report["objections"].clone(),
            verify["linked"].clone(),
            verify["covered"].clone(),
            verify["jumps"].clone(),
        ]
    };
    let before = told();
    assert_eq!(before[0]["audits"].as_array().unwrap().len(), 1);
    let ledger = project.ledger();
    project.put_ledger([&ledger[..], &ledger].concat());
    assert_eq!(told(), before);
    let verify = project.run(&["verify", "--json"]).ok().data();
    let found = verify["findings"].as_array().unwrap();
    let copies = found.iter().filter(|it| it["code"] == "duplicate_line");
    let lines = ledger.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(copies.count(), lines, "{verify:#}");
    assert!(!verify.to_string().contains("broken_link"), "{verify:#}");
}

/// A ledger with the same note of two writers, as a merge leaves it.
pub fn twice(project: &project::Project) {
    let project = &project.0;
    project.set("Write docs");
    let before = project.ledger();
    note(project, "read it", "k");
    let one = project.ledger();
    project.put_ledger(&before);
    note(project, "read it", "k");
    let other = project.ledger().split_off(before.len());
    project.put_ledger([one, other].concat());
}
