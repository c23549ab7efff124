//! `goal repair --drop`: the text of a line goes from every copy on this machine, and nothing that follows
//! from the line breaks. What stands in its place proves by its seal that the user did it.

use std::fs;

use camino::Utf8Path;
use serde_json::Value;

use crate::seals::findings;
use crate::support::lines::event_id;
use crate::support::{Project, Ran, auditor};

/// What is to go.
const SECRET: &str = "hunter2-of-the-staging-host";

const BECAUSE: [&str; 2] = ["--reason", "a password"];

/// A project of which git has no file of the ledger.
fn in_git() -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    project
}

/// A goal in git with a note that has the secret, and the id of its line.
fn with_secret() -> (Project, String, String) {
    let project = in_git();
    let goal = project.set("Port the parser");
    project.run(&["note", SECRET]).ok();
    let line = line_with(&project, SECRET);
    project.run(&["note", "what came after"]).ok();
    (project, goal, line)
}

/// The id of the line with this text.
fn line_with(project: &Project, text: &str) -> String {
    let log = project.run(&["log", "--json"]).ok();
    let line = log.stdout.lines().find(|it| it.contains(text)).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    line["id"].as_str().unwrap().to_owned()
}

fn drop_line(project: &Project, line: &str) -> Ran {
    project.run(&["repair", "--drop", line, BECAUSE[0], BECAUSE[1]])
}

/// The files below a directory that have the text.
fn files_with(dir: &Utf8Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in dir.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(entry.path(), text));
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            if memchr::memmem::find(&bytes, text.as_bytes()).is_some() {
                found.push(entry.path().to_string());
            }
        }
    }
    found
}

fn all_with(project: &Project, text: &str) -> Vec<String> {
    [&project.root, &project.aside, &project.state()]
        .into_iter()
        .filter(|dir| dir.exists())
        .flat_map(|dir| files_with(dir, text))
        .collect()
}

#[test]
fn the_text_goes_from_every_copy_and_the_goal_is_completed_all_the_same() {
    let (project, goal, line) = with_secret();
    project.auditor(auditor::APPROVE);
    let tree = project.aside.join("tree");
    project.git(&["worktree", "add", "-q", tree.as_str()]);
    project.call(&["note", "from there"]).cwd(&tree).run().ok();
    project.run(&["note", "and from here"]).ok();
    // What is saved of an earlier look has texts too.
    project.run(&["list"]).ok();
    assert!(all_with(&project, SECRET).len() >= 5);
    let events = project.events();

    let would = project.run(&[
        "repair",
        "--drop",
        &line[..8],
        "--dry-run",
        BECAUSE[0],
        BECAUSE[1],
    ]);
    let would = would.ok();
    assert!(
        would
            .stdout
            .starts_with("would take out the text of line 3"),
        "{would}"
    );
    assert_eq!(project.events(), events);

    let dropped = drop_line(&project, &line[..8]).ok();
    assert!(
        dropped
            .stdout
            .contains("Took out the text of line 3 (goal_noted"),
        "{dropped}"
    );
    assert_eq!(all_with(&project, SECRET), Vec::<String>::new());

    let after = project.events();
    assert_eq!(after.len(), events.len() + 1);
    assert_eq!(after[2]["type"], "line_dropped");
    assert_eq!(after[2]["was"], "goal_noted");
    for kept in ["goalId", "at", "by", "prev"] {
        assert_eq!(after[2][kept], events[2][kept], "{kept}");
    }
    assert_eq!(after[3..events.len()], events[3..]);
    assert_eq!(findings(&project), Vec::new());
    project.call(&["verify"]).cwd(&tree).run().ok();
    let shown = project.run(&["show", &goal]).ok();
    assert!(shown.stdout.contains("what came after"), "{shown}");

    // A second time there is nothing to do, and nothing more on record.
    let again = drop_line(&project, &line).ok();
    assert!(again.stdout.contains("was taken out before"), "{again}");
    assert_eq!(project.events().len(), after.len());
    project
        .run_as_agent(&["complete", "--summary", "done"])
        .ok();
    assert_eq!(project.status(&goal), "complete");
}

#[test]
fn only_the_user_takes_a_text_out_and_only_of_a_line_of_ours_that_is_named() {
    let (project, _, line) = with_secret();
    let ledger = project.ledger();
    let agent = ["repair", "--drop", &line, BECAUSE[0], BECAUSE[1], "--json"];
    let refused = project.run_as_agent(&agent).exits(5);
    assert_eq!(refused.error_code(), "human_owned");
    let theirs = r#"{"type":"goal_noted","goalId":"x","note":"n","at":"2026-01-01T00:00:00Z"}"#;
    for (named, said) in [
        ("hunter2", "no id of a line"),
        (&line[..7], "no id of a line"),
        ("00000000000000000000000000000000", "no line has the id"),
        (&event_id(theirs), "no line has the id"),
    ] {
        let refused = drop_line(&project, named).exits(2);
        assert!(refused.stderr.contains(said), "{refused}");
    }
    assert_eq!(project.ledger(), ledger);
}

#[test]
fn other_clones_say_that_the_text_is_still_there_until_it_is_taken_out_there_too() {
    let (project, _, line) = with_secret();
    let remote = project.aside.join("remote.git");
    project.git(&["init", "-q", "--bare", remote.as_str()]);
    project.git(&["remote", "add", "origin", remote.as_str()]);
    project.git(&["push", "-q", "origin", "HEAD:main"]);
    project.run(&["sync"]).ok();
    let clone = project.aside.join("clone");
    project.git(&["clone", "-q", "-b", "main", remote.as_str(), clone.as_str()]);
    let there = |args: &[&str]| project.call(args).cwd(&clone).run();
    there(&["sync"]).ok();
    drop_line(&project, &line).ok();
    project.run(&["sync"]).ok();
    there(&["sync"]).ok();

    let verified = there(&["verify"]).ok();
    let command = format!("goal repair --drop {}", &line[..8]);
    for said in ["drop_waits line 3", command.as_str()] {
        assert!(verified.stdout.contains(said), "{said}: {verified}");
    }
    there(&["repair", "--drop", &line[..8], BECAUSE[0], BECAUSE[1]]).ok();
    let verified = there(&["verify"]).ok();
    assert!(!verified.stdout.contains("drop_waits"), "{verified}");
    // The remote has the line still, and gives it to nobody who has what stands for it.
    there(&["sync"]).ok();
    project.run(&["sync"]).ok();
    for home in [project.root.join(".git/goal"), clone.join(".git/goal")] {
        assert_eq!(files_with(&home, SECRET), Vec::<String>::new());
    }
}

#[test]
fn nobody_but_the_user_asks_by_a_line_that_a_text_is_taken_out() {
    let (project, _, line) = with_secret();
    let text = String::from_utf8(project.ledger()).unwrap();
    let last = text.lines().last().unwrap();
    let forged = format!(
        r#"{{"type":"goal_settled","kind":"finding","lines":["{line}"],"reason":"r","finding":"line_dropped","at":"2026-01-01T00:00:09.000Z","by":"user","prev":"{}"}}"#,
        event_id(last)
    );
    fs::write(
        project.home("goal_events.jsonl"),
        format!("{text}{forged}\n"),
    )
    .unwrap();
    let verified = project.run(&["verify"]);
    assert!(verified.stdout.contains("unsealed_line"), "{verified}");
    assert!(!verified.stdout.contains("drop_waits"), "{verified}");
    // The user's own act is on record beside it.
    drop_line(&project, &line).ok();
    assert_eq!(project.events_of_type("goal_settled").len(), 2);
}

#[test]
fn what_somebody_else_put_in_the_place_of_a_line_is_found_and_closes_the_gate() {
    let (project, _, line) = with_secret();
    project.auditor(auditor::APPROVE);
    let stub = |event: &Value| {
        let [goal, at, prev] = ["goalId", "at", "prev"].map(|it| event[it].as_str().unwrap());
        format!(
            r#"{{"type":"line_dropped","goalId":"{goal}","line":"{line}","was":"goal_noted","at":"{at}","by":"user","prev":"{prev}"}}"#
        )
    };
    let text = String::from_utf8(project.ledger()).unwrap();
    let lines = text.lines().map(|it| match it.contains(SECRET) {
        true => stub(&serde_json::from_str(it).unwrap()) + "\n",
        false => format!("{it}\n"),
    });
    let forged: String = lines.collect();
    fs::write(project.home("goal_events.jsonl"), forged).unwrap();
    let found = findings(&project);
    assert!(
        found.contains(&("unsealed_line".into(), "error".into())),
        "{found:?}"
    );
    let refused = project.run_as_agent(&["complete", "--json"]).exits(5);
    assert_eq!(refused.error_code(), "contract_unproven");
}

#[test]
fn the_line_that_created_a_goal_can_go_and_the_ledger_still_holds_together() {
    let project = in_git();
    let goal = project.set(SECRET);
    project.run(&["note", "kept"]).ok();
    let line = line_with(&project, "goal_created");
    drop_line(&project, &line).ok();
    assert_eq!(all_with(&project, SECRET), Vec::<String>::new());
    let found = findings(&project);
    assert_eq!(found, [("missing_creation".into(), "warning".into())]);
    project.auditor(auditor::APPROVE);
    let refused = project.run_as_agent(&["complete", "--json"]);
    assert!(!refused.success(), "{refused}");
    let shown = project.run(&["show", &goal]);
    assert!(!shown.stdout.contains(SECRET), "{shown}");
    // Work goes on beside it.
    project.run(&["set", "Another goal"]).ok();
    project.run(&["verify"]).ok();
}
