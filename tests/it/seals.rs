//! Seals: what a machine shows of where the ledger's lines come from.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use goal_ledger::domain::id::EventId;
use goal_ledger::domain::seal::{Attestation, Key, attest};
use serde_json::Value;

use crate::support::Project;

/// A line with the right link to the last one, as an echo with `b3sum` would make it.
pub fn imitated(project: &Project, fields: &str) -> String {
    let ledger = project.ledger();
    let last = ledger.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    let last = EventId::of_line(last.unwrap());
    format!(r#"{{{fields},"at":"2026-11-22T12:00:00.000Z","by":"user","prev":"{last}"}}"#)
}

/// Codes with their severities that `verify` finds.
pub fn findings(project: &Project) -> Vec<(String, String)> {
    let said = project.run(&["verify", "--json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let found = said["data"]["findings"].as_array().unwrap().iter();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    found
        .map(|finding| (text(finding, "code"), text(finding, "severity")))
        .collect()
}

fn is(code: &str, severity: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), severity.to_owned())]
}

fn key(project: &Project) -> Key {
    let bytes = fs::read(project.state().join("key")).unwrap();
    Key::new(bytes.try_into().unwrap())
}

#[test]
fn every_line_is_sealed_with_one_key_of_the_user() {
    let (project, _) = Project::with_goal("Port the parser");
    project.run(&["note", "halfway"]);
    let mode = fs::metadata(project.state().join("key")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    let key = key(&project);
    let ledger = project.ledger();
    for line in ledger
        .split(|byte| *byte == b'\n')
        .filter(|it| !it.is_empty())
    {
        assert_eq!(
            attest(line, Some(&key)),
            (Attestation::Valid, Some(key.id()))
        );
    }
    assert_eq!(findings(&project), []);
}

#[test]
fn an_imitated_line_is_an_error_where_it_decides_something() {
    let (project, id) = Project::with_goal("Port the parser");
    let honest = project.ledger();
    for (fields, severity) in [
        (
            r#""type":"goal_tweaked","changeSummary":"s","objective":"print hello""#,
            "error",
        ),
        (
            r#""type":"task_list_set","taskCount":0,"blockCompletion":false,"tasks":[]"#,
            "error",
        ),
        (r#""type":"goal_completed""#, "error"),
        (r#""type":"budget_set","limits":{}"#, "error"),
        (r#""type":"goal_noted","note":"n""#, "information"),
    ] {
        project.put_ledger(&honest);
        let fields = format!(r#"{fields},"goalId":"{id}""#);
        project.append_line(&imitated(&project, &fields));
        let found = findings(&project);
        let expected = ("unsealed_line".to_owned(), severity.to_owned());
        assert!(found.contains(&expected), "{fields}: {found:?}");
    }
}

#[test]
fn what_was_there_before_the_key_counts_as_known() {
    let (project, id) = Project::with_goal("Port the parser");
    let unsealed = String::from_utf8(project.ledger()).unwrap();
    // A ledger of the first edition: the same lines, linked anew, without seals.
    let mut prev = EventId::ZERO;
    let mut first = String::new();
    for line in unsealed.lines() {
        let fields = line.split(",\"prev\"").next().unwrap();
        let line = format!("{fields},\"prev\":\"{prev}\"}}");
        prev = EventId::of_line(line.as_bytes());
        first.push_str(&line);
        first.push('\n');
    }
    fs::remove_dir_all(project.state()).unwrap();
    project.put_ledger(first);
    assert_eq!(findings(&project), [], "no key yet");
    project.run(&["note", "the first sealed line"]);
    assert_eq!(findings(&project), []);
    let tweaked =
        format!(r#""type":"goal_tweaked","goalId":"{id}","changeSummary":"s","title":"t""#);
    project.append_line(&imitated(&project, &tweaked));
    assert_eq!(findings(&project), is("unsealed_line", "error"));
}

#[test]
fn where_no_key_can_be_had_lines_have_no_seal_and_that_is_said() {
    let (project, _) = Project::with_goal("Port the parser");
    let path = project.state().join("key");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let said = project.run(&["note", "seen by others"]);
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("without a seal"), "{}", said.stderr);
    assert!(said.stderr.contains("chmod 600"), "{}", said.stderr);
    assert!(project.last_event().get("seal").is_none());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(findings(&project), is("unsealed_line", "information"));
}

#[test]
fn a_lost_key_makes_no_error_of_its_lines() {
    let (project, _) = Project::with_goal("Port the parser");
    project.run(&["note", "sealed"]);
    fs::remove_file(project.state().join("key")).unwrap();
    assert_eq!(findings(&project), []);
    project.run(&["note", "with a new key"]);
    assert_eq!(findings(&project), []);
}
