//! An agent deletes the project's ledger, or takes it back with git: nothing that was acknowledged is lost.

use std::fs;

use super::{DONE, configure, found, with_agent};
use crate::support::{Project, auditor};

/// A repository with a commit, and an agent that does this. With `committed` that commit has the ledger.
fn repository(committed: bool, agent: &str) -> (Project, String) {
    let (project, id) = with_agent(agent);
    project.git(&["init", "-q", "-b", "main"]);
    fs::write(project.root.join("code"), "one\n").unwrap();
    if committed {
        project.git(&["add", "-A"]);
    }
    project.git(&["add", "code"]);
    project.git(&["commit", "-qm", "one"]);
    (project, id)
}

fn notes(project: &Project) -> Vec<String> {
    let noted = project.events_of_type("goal_noted");
    noted
        .iter()
        .map(|it| it["note"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn copy(project: &Project) -> Option<String> {
    let kept = project
        .state()
        .join("spare")
        .read_dir_utf8()
        .ok()?
        .next()?
        .unwrap();
    fs::read_to_string(kept.path().join("goal_events.jsonl")).ok()
}

/// Waits until the note is where it is before it is acknowledged: in the ledger and then in its copy.
fn acknowledged(project: &Project) {
    found(|| copy(project).filter(|it| it.contains("\"kept\"")));
}

/// Done in the first turn only.
fn once(act: &str) -> String {
    format!(
        "if [ ! -e \"$here/once\" ]; then >\"$here/once\"; goal note kept; {act}; work; else {DONE}; fi"
    )
}

#[test]
fn an_agent_that_deletes_the_goals_loses_nothing_that_was_acknowledged() {
    for (committed, act) in [
        (false, "rm -rf .pi/goals"),
        (false, "git clean -fdxq"),
        (true, "git rm -rfq --cached .pi; git clean -fdxq"),
        (true, "git checkout -q HEAD -- .pi"),
        (true, "git stash -uq"),
    ] {
        let (project, id) = repository(committed, &once(act));
        let ran = project.run(&["run"]).ok();
        // None of these reaches the home.
        assert!(!ran.stderr.contains("brought back"), "{act}: {ran}");
        assert_eq!(notes(&project), ["kept"], "{act}");
        assert_eq!(project.status(&id), "complete", "{act}");
        assert_eq!(project.events_of_type("run_started").len(), 1, "{act}");
        assert_eq!(project.events_of_type("goal_created").len(), 1, "{act}");
        project.run(&["verify", "--strict"]).ok();
        assert_eq!(
            project.run(&["repair", "--json"]).ok().data()["documents"],
            serde_json::json!([]),
            "{act}"
        );
        assert_eq!(copy(&project), None, "{act}");
    }
}

/// What was brought back is deleted again while it is brought back.
#[test]
fn an_agent_that_deletes_the_goals_again_and_again_ends_no_run() {
    let act = "i=0; while [ $i -lt 300 ]; do rm -rf .pi/goals; i=$((i+1)); done";
    let (project, id) = repository(false, &once(act));
    project.run(&["run"]).ok();
    assert_eq!(notes(&project), ["kept"]);
    assert_eq!(project.status(&id), "complete");
    project.run(&["verify", "--strict"]).ok();
}

#[test]
fn what_the_user_says_meanwhile_and_the_configuration_come_back_too() {
    let wait = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done; rm -rf .pi/goals";
    let (project, _) = with_agent(&once(wait));
    fs::write(project.goals("config.toml"), "# mine\n").unwrap();
    let mut run = project.call(&["run"]).spawn();
    found(|| (notes(&project) == ["kept"]).then_some(()));
    project.run(&["note", "from the user"]).ok();
    project.go();
    assert!(run.wait().unwrap().success());
    assert_eq!(notes(&project), ["kept", "from the user"]);
    let config = fs::read_to_string(project.goals("config.toml")).unwrap();
    assert_eq!(config, "# mine\n");
}

#[test]
fn what_is_lost_when_the_runner_dies_is_brought_back_by_repair_or_the_next_run() {
    let wait = "goal note kept; while [ ! -e \"$here/go\" ]; do sleep 0.02; done";
    for repairs in [true, false] {
        let (project, id) = with_agent(wait);
        let mut run = project.call(&["run"]).spawn();
        acknowledged(&project);
        run.kill().unwrap();
        run.wait().unwrap();
        found(|| project.running().is_empty().then_some(()));
        // After the crash writers go on with the copy.
        project.run(&["note", "later"]).ok();
        let before = project.ledger();
        fs::remove_dir_all(project.goals("")).unwrap();
        let lost = project.run(&["note", "n", "--json"]).exits(4);
        assert_eq!(lost.error_code(), "ledger_missing");
        assert!(lost.stdout.contains("goal repair"), "{lost}");
        configure(&project, auditor::APPROVE, DONE, "");
        if repairs {
            let lines = before.iter().filter(|it| **it == b'\n').count();
            let dry = project.run(&["repair", "--dry-run", "--json"]).ok().data();
            assert_eq!(dry["restored"], lines);
            assert!(!project.goals("").exists());
            let ran = project.run(&["repair"]).ok();
            assert!(ran.stdout.contains("brought back"), "{ran}");
            assert_eq!(project.ledger(), before);
        }
        let ran = project.run(&["run", &id]).ok();
        assert_eq!(ran.stderr.contains("was missing"), !repairs, "{ran}");
        assert_eq!(notes(&project), ["kept", "later"]);
        let started = project.events_of_type("run_started");
        assert!(started[1]["resumes"].is_string());
        project.run(&["verify", "--strict"]).ok();
    }
}

/// Git takes lines back while no runner looks.
fn taken_back() -> Project {
    let wait = "goal note kept; while [ ! -e \"$here/go\" ]; do sleep 0.02; done";
    let (project, _) = with_agent(wait);
    let before = project.ledger();
    let mut run = project.call(&["run"]).spawn();
    acknowledged(&project);
    run.kill().unwrap();
    run.wait().unwrap();
    found(|| project.running().is_empty().then_some(()));
    project.put_ledger(before);
    project
}

#[test]
fn a_copy_whose_lines_the_user_gave_up_is_set_aside_by_the_next_run() {
    let project = taken_back();
    let settle = ["settle", "--finding", "ledger_rewound", "--reason", "r"];
    project.run(&settle).ok();
    configure(&project, auditor::APPROVE, "work", "");
    let ran = project.run(&["run", "--max-iterations", "1"]).exits(6);
    assert!(ran.stderr.contains("left-1.jsonl"), "{ran}");
}

#[test]
fn lines_that_are_gone_from_a_ledger_that_is_there_are_brought_back_by_repair() {
    for next_run in [false, true] {
        let project = taken_back();
        if next_run {
            // The gate would refuse what comes of it.
            let ran = project.run(&["run", "--json"]).exits(5);
            assert_eq!(ran.error_code(), "history_unproven");
        }
        let found = project.run(&["doctor"]).stdout;
        assert!(found.contains("`goal repair` brings them back"), "{found}");
        assert!(!found.contains("git stash"), "{found}");
        let dry = project.run(&["repair", "--dry-run", "--json"]).ok().data();
        assert!(dry["restored"].as_u64().unwrap() > 0, "{dry}");
        assert_eq!(notes(&project), [""; 0]);
        let ran = project.run(&["repair"]).ok();
        assert!(ran.stdout.contains("brought back"), "{ran}");
        assert_eq!(notes(&project), ["kept"]);
        assert!(!project.run(&["doctor"]).stdout.contains("ledger_rewound"));
        let again = project.run(&["repair", "--json"]).ok().data();
        assert_eq!(again["restored"], serde_json::Value::Null);
    }
}

#[test]
fn a_lease_that_the_user_gives_away_still_stops_the_run() {
    let (project, _) = with_agent("goal note kept; sleep 600");
    let run = project.call(&["run"]).spawn();
    found(|| (notes(&project) == ["kept"]).then_some(()));
    project.run(&["lease", "release"]).ok();
    assert_eq!(run.wait_with_output().unwrap().status.code(), Some(4));
}
