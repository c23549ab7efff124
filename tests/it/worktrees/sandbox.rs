//! An agent in a sandbox or a container that has the work tree alone: what it records waits there until
//! somebody can write the ledger.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::{at, events, noticed, of_type, shared};
use crate::support::{Project, Ran};

/// What waits in this work tree.
fn waiting(tree: &Utf8Path) -> Utf8PathBuf {
    tree.join(".pi/goals/.pending/acts.jsonl")
}

/// While the repository is not there: `act` gets a way to call as the agent.
fn away(project: &Project, tree: &Utf8Path, act: impl FnOnce(&dyn Fn(&[&str]) -> Ran)) {
    let hidden = project.aside.join("hidden");
    fs::rename(&project.root, &hidden).unwrap();
    act(&|args| {
        let call = project.call(args).cwd(tree).env("GOAL_ACTOR", "agent");
        call.env("GOAL_SESSION", "s-1").run()
    });
    fs::rename(&hidden, &project.root).unwrap();
}

/// Writes there as anybody could.
fn plant(tree: &Utf8Path, text: &str) {
    fs::create_dir_all(waiting(tree).parent().unwrap()).unwrap();
    fs::write(waiting(tree), text).unwrap();
}

#[test]
fn what_an_agent_records_in_a_sandbox_waits_and_is_taken_in_once() {
    let (project, id, [w1, _]) = shared();
    at(&project, &w1, &["task", "add", "Parse", "--goal", &id]).ok();
    let before = events(&project).len();
    away(&project, &w1, |agent| {
        let note = ["note", "parsed half of it", "--goal", &id, "--json"];
        let waits = agent(&note).exits(75);
        assert_eq!(waits.error_code(), "waits_here");
        let said = waits.json()["error"].to_string();
        assert!(said.contains("NOT on record"), "{said}");
        // Asked again it waits once.
        agent(&note).exits(75);
        let evidence = ["evidence", "add", "tests", "12 of 12 pass", "--goal", &id];
        agent(&evidence).exits(75);
        agent(&["task", "start", "1", "--goal", &id]).exits(75);
        agent(&["propose", "A parser for maps"]).exits(75);
        // What decides something, or is refused anyway, does not wait.
        agent(&["pause", "--reason", "r", "--goal", &id]).exits(74);
        agent(&["task", "start", "9", "--goal", &id]).exits(3);
        // The last word counts.
        for word in ["fail", "pass", "fail"] {
            agent(&["evidence", "add", "lint", word, "--goal", &id]).exits(75);
        }
        let long = "x".repeat(70_000);
        agent(&["note", &long, "--goal", &id]).exits(74);
        let read = agent(&["status"]).ok();
        assert!(read.stderr.contains("7 acts of an agent"), "{read}");
        assert!(!read.stdout.contains("parsed half"), "{read}");
    });
    let kept = fs::read(waiting(&w1)).unwrap();
    assert_eq!(events(&project).len(), before);

    // On an auditor's call nothing is recorded.
    let auditor = project.call(&["note", "n", "--goal", &id]).cwd(&w1);
    auditor.env("GOAL_ACTOR", "auditor").run().exits(5);
    assert_eq!(events(&project).len(), before);
    // Who decides sees what they decide on.
    at(&project, &w1, &["tweak", "--title", "t", "--goal", &id]).ok();
    assert!(waiting(&w1).exists());
    let taken = at(&project, &w1, &["note", "mine", "--goal", &id, "--json"]).ok();
    assert!(noticed(&taken).contains(&"lines_taken_in".to_owned()));
    assert!(!waiting(&w1).exists());
    let notes = of_type(&project, "goal_noted");
    let note = &notes[0];
    assert_eq!(
        (&note["note"], &note["by"], &note["session"]),
        (&json!("parsed half of it"), &json!("agent"), &json!("s-1"))
    );
    assert_eq!(notes[1]["note"], "mine");
    let evidence = of_type(&project, "evidence_added");
    assert_eq!(
        (&evidence[0]["by"], &evidence[0]["source"]),
        (&json!("agent"), &json!("agent"))
    );
    assert_eq!(evidence.last().unwrap()["value"], "fail");
    assert_eq!(of_type(&project, "task_started").len(), 1);
    assert_eq!(of_type(&project, "draft_proposed").len(), 1);
    project.run(&["verify", "--strict"]).ok();

    // As after a crash before the file was removed.
    fs::write(waiting(&w1), kept).unwrap();
    let all = events(&project).len();
    let again = at(&project, &w1, &["note", "more", "--goal", &id, "--json"]).ok();
    assert!(!noticed(&again).contains(&"lines_taken_in".to_owned()));
    assert_eq!(events(&project).len(), all + 1);
    assert!(!waiting(&w1).exists());
}

#[test]
fn what_waits_can_be_nothing_else_whatever_somebody_writes_there() {
    let (project, id, [w1, _]) = shared();
    let entry = |act: Value| {
        json!({ "key": "pending-1", "at": "t", "session": null, "goal": id, "act": act })
            .to_string()
    };
    let note = json!({ "note": { "note": "x", "next": null } });
    let lines = [
        entry(json!({ "confirm": {} })),
        entry(json!({ "resume": { "reason": "r" } })),
        "not JSON".to_owned(),
        json!({ "key": "pending-2", "at": "t", "session": null, "goal": "gone-1", "act": note })
            .to_string(),
        json!({ "key": "pending-2", "at": "t", "session": null, "goal": id, "by": "user", "act": note })
            .to_string(),
    ];
    plant(&w1, &(lines.join("\n") + "\n"));
    let before = events(&project).len();
    let told = at(&project, &w1, &["note", "mine", "--goal", &id, "--json"]).ok();
    let refused = noticed(&told);
    let refused = refused.iter().filter(|it| *it == "waits_here");
    assert_eq!(refused.count(), lines.len());
    assert_eq!(events(&project).len(), before + 1);
    assert!(!waiting(&w1).exists());
    let aside = fs::read_to_string(waiting(&w1).with_file_name("refused.jsonl")).unwrap();
    assert_eq!(aside.lines().count(), lines.len());
}

/// Looking at a branch of somebody else changes nothing.
#[test]
fn what_a_branch_brings_is_not_taken_in() {
    let (project, id, [w1, _]) = shared();
    let act = json!({ "note": { "note": "planted", "next": null } });
    let line = json!({ "key": "pending-2", "at": "t", "session": null, "goal": id, "act": act });
    plant(&w1, &format!("{line}\n"));
    let file = ".pi/goals/.pending/acts.jsonl";
    project.git(&["-C", w1.as_str(), "add", "-f", file]);
    project.git(&["-C", w1.as_str(), "commit", "-qm", "planted"]);
    let told = at(&project, &w1, &["note", "mine", "--goal", &id, "--json"]).ok();
    assert!(noticed(&told).contains(&"waits_here".to_owned()));
    let notes = of_type(&project, "goal_noted");
    assert!(notes.iter().all(|it| it["note"] != "planted"));
    assert!(waiting(&w1).exists());
}
