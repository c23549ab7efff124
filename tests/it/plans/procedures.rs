//! Procedures: they are suggested and never taken by themselves, are listed with their scores, and a
//! file with a mistake is said and never used.

use std::fs;

use serde_json::{Value, json};

use super::{TRAIN, answer, answers, execute, ids, planner, procedure};
use crate::support::Project;

#[test]
fn a_procedure_that_is_named_makes_the_plan_and_says_so() {
    let (project, _) = Project::with_goal("Book me a train to Paris tomorrow");
    procedure(&project, "train.md", TRAIN);
    planner(&project, "echo never asked");
    project.run(&["evidence", "add", "origin", "London"]).ok();
    project
        .run(&["evidence", "add", "destination", "Paris"])
        .ok();
    let plan = ["plan", "--procedure", "train", "--json"];
    let ran = project.run_as_agent(&plan).ok();
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
    let ran = project.run(&plan).ok();
    let titles = ran.data()["tasks"].as_array().unwrap().clone();
    assert_eq!(titles.len(), 7);
    assert_eq!(titles[0]["pred"]["args"]["key"], "origin");
}

#[test]
fn the_planner_judges_whether_a_procedure_applies() {
    let (project, _) = Project::with_goal("Find a bug in train.py");
    procedure(&project, "train.md", TRAIN);
    answers(&project, &answer(&[execute("Reproduce it")], "AND"));
    let planned = project.run(&["step", "--json"]).ok().data();
    assert_eq!(planned["planned"]["source"], "planner");
    assert_eq!(planned["planned"]["tasks"], json!(["Reproduce it"]));
    assert_eq!(super::asked(&project)["procedures"][0]["id"], "train");
    // It takes one by its id, of those that it was shown.
    answers(&project, r#"{"procedure":"train","source":"scripted"}"#);
    project.set("I need to get to Paris by train");
    let planned = project.run(&["step", "--json"]).ok().data();
    assert_eq!(planned["planned"]["source"], "procedure:train");
    project.set("Water the plants");
    let refused = project.run(&["plan", "--json"]).exits(74);
    let why = refused.data()["failed"].as_str().unwrap().to_owned();
    assert!(why.contains("which it was not shown"), "{why}");
    // Checkpoints need success criteria, which a procedure has not.
    project.set("Book a train ticket");
    let refused = project.run(&["plan", "--checkpoints", "--json"]).exits(74);
    let why = refused.data()["failed"].as_str().unwrap().to_owned();
    assert!(why.contains("only a first plan"), "{why}");
}

#[test]
fn without_a_planner_a_procedure_is_named_and_waits() {
    let (project, _) = Project::with_goal("Find a bug in train.py");
    procedure(&project, "train.md", TRAIN);
    let before = project.ledger();
    let step = project.run(&["step", "--json"]).ok().data();
    assert_eq!(step["did"], "nothing");
    assert_eq!(step["waitsFor"], "procedure");
    let train = json!({ "id": "train", "title": "Book a train ticket" });
    assert_eq!(step["procedure"], train);
    let text = project.run(&["step"]).ok().stdout;
    assert!(text.contains("`goal plan --procedure train`"), "{text}");
    let plan = project.run(&["plan", "--json"]).exits(5);
    assert_eq!(plan.error_code(), "no_planner");
    assert!(
        plan.stdout.contains("goal plan --procedure train"),
        "{plan}"
    );
    assert_eq!(project.ledger(), before);
    // An agent reads of it, and its own tool takes it.
    let read = project.run(&["tool", "get_goal"]).ok().data();
    assert_eq!(read["procedure"], train);
    let text = read["text"].as_str().unwrap();
    assert!(
        text.contains("Procedure train (`Book a train ticket`) may apply"),
        "{text}"
    );
    assert!(text.contains("take it with `plan_goal`"), "{text}");
    let data = r#"{"procedure":"train"}"#;
    let ran = project.run(&["tool", "plan_goal", "--data", data]).ok();
    assert_eq!(ran.data()["source"], "procedure:train");
    let read = project.run(&["tool", "get_goal"]).ok().data();
    assert_eq!(read["procedure"], Value::Null);
    // A step takes it where something is to be decomposed, and nowhere else.
    let step = ["step", "--procedure", "train", "--json"];
    assert_eq!(project.run(&step).exits(2).error_code(), "usage");
    project.set("Book a train ticket");
    let took = project.run(&step).ok().data();
    assert_eq!(took["planned"]["source"], "procedure:train");
    let missing = project.set("Book another");
    let ran = project.run(&["plan", "--procedure", "boat", "--goal", &missing, "--json"]);
    assert_eq!(ran.exits(3).error_code(), "unknown_procedure");
}

/// The headers that skills have.
#[test]
fn a_skill_is_a_procedure_by_its_name_and_description() {
    let (project, _) = Project::with_goal("count the beans");
    let skill = "---\nname: count-beans\ndescription: Count the beans in a jar\nlicense: MIT\n\
                 allowed-tools: Read, Grep\n---\n\n## Steps\n\n1. Pour them out\n2. Count them\n";
    let directory = project.goals("procedures/beans");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("SKILL.md"), skill).unwrap();
    procedure(&project, "flat.md", skill);
    project.run(&["procedure", "check"]).ok();
    let listed = project.run(&["procedure", "list", "--json"]).ok().data();
    for (at, id) in ["beans", "flat"].into_iter().enumerate() {
        let found = &listed["procedures"][at];
        assert_eq!(found["id"], id);
        assert_eq!(found["title"], "count-beans");
        assert_eq!(found["intent"], json!(["Count the beans in a jar"]));
    }
    let ran = project
        .run(&["plan", "--procedure", "beans", "--json"])
        .ok();
    assert_eq!(ids(&ran.data()["tasks"]), ["1", "2"]);
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
