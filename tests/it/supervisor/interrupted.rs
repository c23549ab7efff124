//! An audit whose supervisor was killed: whatever it ran ends, and it waits for the person.

use std::fs;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::{assert_nothing_runs, ended, supervisor};
use crate::support::{Project, auditor, wait::until};

#[test]
fn a_dead_audit_waits_for_the_person_and_does_not_go_on() {
    let (project, id) = Project::with_goal("x");
    // A child of a child too, and one that nobody waits for.
    project.auditor(
        "echo $PPID >\"$here/supervisor\"; cat >/dev/null
         sh -c 'sleep 300; true' & remember $!
         sh -c \"echo \\$\\$ >>\\\"$here/pids\\\"; sleep 300; true\"",
    );
    let caller = project.call(&["complete", "--json"]).spawn();
    until("the auditor runs", || project.started() == 1);
    let supervisor = supervisor(&project);
    until("its children run", || project.running().len() >= 3);
    let standings = || project.run(&["inbox", "--json"]).ok().data()["standings"].clone();
    assert_eq!(standings(), json!({"auditing": 1}));
    kill_process(supervisor, Signal::KILL).unwrap();
    ended(&project, caller).exits(6);
    assert_nothing_runs(&project);

    let inbox = project.run(&["inbox", "--json"]).ok().data();
    let need = &inbox["needs"][0];
    assert_eq!(need["kind"], "audit_interrupted", "{inbox}");
    assert_eq!(need["command"], format!("goal complete --goal {id}"));
    assert_eq!(inbox["standings"], json!({"stuck": 1}));
    let listed = project.run(&["list"]).ok().stdout;
    assert!(listed.contains("stuck (1)"), "{listed}");
    let report = project.run(&["report", "--json"]).ok().data();
    assert_eq!(report["goals"][0]["standing"], "stuck");
    project.run(&["report", "--html", "page.html"]).ok();
    let page = fs::read_to_string(project.root.join("page.html")).unwrap();
    assert!(page.contains("audit died"), "{page}");

    project.auditor(auditor::APPROVE);
    project.run(&["complete", "--goal", &id]).ok();
    let inbox = project.run(&["inbox", "--json"]).ok().data();
    assert_eq!(inbox["needs"], Value::Array(Vec::new()));
}
