//! Procedures: they come before the planner, are listed with their scores, and a file with a
//! mistake is said and never used.

use std::fs;

use serde_json::{Value, json};

use super::{TRAIN, ids, planner, procedure};
use crate::support::Project;

#[test]
fn a_procedure_comes_first_and_says_so() {
    let (project, _) = Project::with_goal("Book me a train to Paris tomorrow");
    procedure(&project, "train.md", TRAIN);
    planner(&project, "echo never asked");
    project.run(&["evidence", "add", "origin", "London"]).ok();
    project
        .run(&["evidence", "add", "destination", "Paris"])
        .ok();
    let ran = project.run_as_agent(&["plan", "--json"]).ok();
    let data = ran.data();
    assert_eq!(data["source"], "procedure:train");
    assert_eq!(ids(&data["tasks"]), ["1", "2", "3", "4", "5"]);
    let from = json!({
        "procedureId": "train", "title": "Book a train ticket", "stepIndex": 1,
        "suggestedTool": "train-search",
    });
    assert_eq!(data["tasks"][1]["provenance"], from);
    assert_eq!(data["tasks"][1]["doneWhen"][0]["key"], "trainList");
    assert_eq!(project.started(), 0);
    assert_eq!(project.last_event()["by"], "agent");
    // Without the evidence its parameters are asked for first.
    project.set("Find a train to Rome");
    let ran = project.run(&["plan", "--json"]).ok();
    let titles = ran.data()["tasks"].as_array().unwrap().clone();
    assert_eq!(titles.len(), 7);
    assert_eq!(titles[0]["pred"]["args"]["key"], "origin");
}

#[test]
fn procedures_are_listed_with_scores_shown_and_checked() {
    let (project, _) = Project::with_goal("count the beans");
    procedure(&project, "train.md", TRAIN);
    procedure(&project, "flight.md", &TRAIN.replace("train", "flight"));
    let ran = project
        .run(&["procedure", "list", "Book a train", "--json"])
        .ok();
    let found = ran.data()["procedures"].clone();
    assert_eq!(
        (&found[0]["id"], &found[1]["id"]),
        (&"train".into(), &"flight".into())
    );
    assert_eq!(found[0]["relevance"]["applies"], true, "{ran}");
    assert_eq!(found[1]["relevance"]["applies"], false, "{ran}");
    let text = project
        .run(&["procedure", "list", "Book a train"])
        .ok()
        .stdout;
    let first = text.lines().nth(1).unwrap_or_default();
    assert!(first.starts_with("train   Book a train ticket  "), "{text}");
    assert_eq!(
        project.run(&["procedure", "show", "train"]).ok().stdout,
        TRAIN
    );
    let missing = project
        .run(&["procedure", "show", "boat", "--json"])
        .exits(3);
    assert_eq!(missing.error_code(), "unknown_procedure");
    project.run(&["procedure", "check"]).ok();

    procedure(
        &project,
        "bad.md",
        "---\ntitle: a\n---\n## Steps\n1. a\n   - tool: rm -rf /\n",
    );
    procedure(&project, "worse.md", "\u{1b}[2Jno procedure");
    let ran = project.run(&["procedure", "check"]).exits(7);
    assert!(
        ran.stdout.contains("/bad.md:6: `rm -rf /` is no name"),
        "{ran}"
    );
    assert!(
        ran.stdout.contains("/worse.md:1: it does not begin"),
        "{ran}"
    );
    project.run(&["procedure", "list"]).ok();
    let found = project.run(&["doctor", "--json"]).ok().data()["diagnostics"].clone();
    let codes: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["code"])
        .collect();
    assert_eq!(
        codes,
        ["procedure_malformed", "procedure_malformed", "no_auditor"]
    );
    project.run(&["doctor", "--strict"]).exits(7);
}

#[test]
fn a_directory_of_procedures_that_is_a_link_is_refused() {
    let (project, _) = Project::with_goal("count the beans");
    let elsewhere = project.aside.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, project.goals("procedures")).unwrap();
    let ran = project.run(&["procedure", "list", "--json"]).exits(74);
    assert_eq!(ran.error_code(), "unsafe_path");
}
