//! Where a goal was audited is on record, and is said where that is not this work tree.

use std::fs;
use std::process::Command;

use crate::support::{Project, auditor};

/// A goal of the project is audited in a copy of it, and the copy's ledger is put in the place of the
/// project's. Says the path of the copy.
pub fn audited_in_a_copy(project: &Project) -> String {
    project.auditor(auditor::APPROVE);
    let copy = project.aside.join("copy");
    let made = Command::new("cp")
        .args(["-R", project.root.as_str(), copy.as_str()])
        .status();
    assert!(made.unwrap().success());
    project.call(&["trust"]).cwd(&copy).run().ok();
    let complete = project.call(&["complete", "--summary", "done"]).cwd(&copy);
    complete.env("GOAL_ACTOR", "agent").run().ok();
    let ledger = copy.join(".pi/goals/goal_events.jsonl");
    fs::copy(ledger, project.goals("goal_events.jsonl")).unwrap();
    copy.into_string()
}

/// What `audits` and `verify` say, which exits with 0.
fn said(project: &Project) -> String {
    let audits = project.run(&["audits"]).ok().stdout;
    audits + &project.run(&["verify"]).ok().stdout
}

#[test]
fn an_audit_in_this_work_tree_is_not_remarked_on() {
    let (project, _) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    project.run(&["complete", "--summary", "done"]).ok();
    let started = &project.events_of_type("audit_started")[0];
    assert_eq!(started["treePath"], project.root.as_str());
    let said = said(&project) + &project.run(&["list", "--all"]).ok().stdout;
    assert!(!said.contains("not this work tree"), "{said}");
    assert!(!said.contains("audited in"), "{said}");
}

#[test]
fn an_audit_in_a_copy_is_named() {
    let (project, _) = Project::with_goal("x");
    let copy = audited_in_a_copy(&project);
    let said = said(&project);
    let there = format!("  tree      {copy}, which is not this work tree\n");
    assert!(said.contains(&there), "{said}");
    assert!(said.contains("audited_elsewhere"), "{said}");
    let audits = project.look(&["audits"]);
    assert_eq!(audits["audits"][0]["elsewhere"], true);
    // Nothing shows that the copy has to do with this project.
    let listed = project.run(&["list", "--all"]).ok().stdout;
    assert!(listed.contains(&format!("audited in {copy}")), "{listed}");
    let listed = project.look(&["list", "--all"]);
    assert_eq!(listed["goals"][0]["elsewhere"], copy);
}

#[test]
fn a_listing_does_not_name_a_tree_of_the_repository() {
    let project = Project::under_git();
    let copy = audited_in_a_copy(&project);
    // The copy has a commit of this repository.
    let listed = project.run(&["list", "--all"]).ok().stdout;
    assert!(!listed.contains("audited in"), "{listed}");
    assert!(said(&project).contains(&format!("{copy}, which is not this work tree")));
    // Without the commit it is another repository.
    fs::remove_dir_all(project.root.join(".git")).unwrap();
    project.git(&["init", "-q"]);
    let listed = project.run(&["list", "--all"]).ok().stdout;
    assert!(listed.contains("audited in"), "{listed}");
}
