//! Booking a train, step by step and turn by turn, as a procedure says: questions that the user
//! answers in processes of their own, tools that are real little programs, a confirmation, and a
//! goal that is ready for its audit in the end. And the same without the tool that searches.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{Project, auditor};

const SEARCH: &str =
    r#"cat >"$here/asked"; echo '[{"id":"T1","at":"09:00"},{"id":"T2","at":"11:00"}]'"#;
const BOOKING: &str =
    r#"input=$(cat); case $input in *'"T1"'*) echo '{"ticket":"X-1"}';; *) exit 3;; esac"#;
const PROCEDURE: &str = include_str!("../../fixtures/procedures/train.md");

/// What the procedure asks for, in its order: its parameters first.
const ORIGIN: &str = "Please give origin";
const DESTINATION: &str = "Please give destination";
const DAY: &str = "When do you travel?";
const BOOK: &str = "Shall I book the first of these trains?";

fn journey(with_search: bool) -> (Project, String) {
    let (project, id) = Project::with_goal("Book me a train to Paris");
    let booking = project.script("booking", BOOKING);
    let tool = |name: &str, script: &str, takes: &str| {
        format!("[tools.{name}]\ncommand = [\"/bin/sh\", \"{script}\"]\nparameters = [{takes}]\n")
    };
    let mut toml = tool("train-booking", booking.as_str(), "\"trainList\"");
    if with_search {
        let search = project.script("search", SEARCH);
        let takes = r#""origin", "destination", "travelDate", "seat""#;
        toml += &tool("train-search", search.as_str(), takes);
    }
    project.configure(&toml);
    std::fs::create_dir_all(project.goals("procedures")).unwrap();
    std::fs::write(project.goals("procedures/train.md"), PROCEDURE).unwrap();
    let plan = ["plan", "--procedure", "train", "--json"];
    let planned = project.run_as_agent(&plan).ok().data();
    assert_eq!(planned["source"], "procedure:train");
    (project, id)
}

/// One step, and what it did and waits for.
#[track_caller]
fn step(project: &Project, did: &str, waits_for: Option<&str>) -> Value {
    let ran = project.run(&["step", "--json"]).ok();
    let data = ran.data();
    assert_eq!(data["did"], did, "{ran}");
    assert_eq!(data["waitsFor"].as_str(), waits_for, "{ran}");
    data
}

/// A turn of the conversation: the agent takes a step that asks, and the user answers.
#[track_caller]
fn turn(project: &Project, question: &str, answer: &str) {
    let asked = project.run_as_agent(&["step", "--json"]).ok().data();
    assert_eq!(asked["did"], "asked");
    let open = project.run(&["questions", "--json"]).ok().data();
    let open = open["questions"].as_array().unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0]["question"], question);
    let id = open[0]["questionId"].as_str().unwrap();
    assert_eq!(asked["question"]["questionId"], id);
    let again = project.run(&["step", "--json"]).ok().data();
    assert_eq!(again["did"], "nothing", "asked once");
    assert_eq!(again["events"], json!([]));
    project.run(&["answer", id, answer]).ok();
}

#[test]
fn a_train_is_booked_over_several_turns() {
    let (project, id) = journey(true);
    turn(&project, ORIGIN, "London");
    turn(&project, DESTINATION, "Paris");
    turn(&project, DAY, "2026-10-01");
    let searched = step(&project, "performed", None);
    assert_eq!(searched["evidence"]["trainList"][0]["id"], "T1");
    let asked = std::fs::read_to_string(project.aside.join("asked")).unwrap();
    let asked: Value = serde_json::from_str(&asked).unwrap();
    let expected =
        json!({ "origin": "London", "destination": "Paris", "travelDate": "2026-10-01" });
    assert_eq!(asked, expected, "what the tool declares and is known");
    let shown = step(&project, "presented", None);
    assert_eq!(shown["presented"]["trainList"][1]["at"], "11:00");
    let keys: Vec<&String> = shown["presented"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["trainList"], "`present` names it, and nothing else");
    turn(&project, BOOK, "yes");
    step(&project, "performed", None);
    step(&project, "nothing", Some("audit"));

    let evidence = project.look(&["evidence", "list"])["evidence"].clone();
    let seen = evidence.as_array().unwrap().iter();
    let seen = seen.map(|it| (it["key"].as_str().unwrap(), &it["value"]));
    let seen: BTreeMap<&str, &Value> = seen.collect();
    let keys: Vec<&str> = seen.keys().copied().collect();
    let expected = [
        "booking",
        "confirmation",
        "destination",
        "origin",
        "trainList",
        "travelDate",
    ];
    assert_eq!(keys, expected);
    assert_eq!(seen["booking"], &json!({ "ticket": "X-1" }));
    let tasks = project.goal(&id)["tasks"]["list"].clone();
    let from = tasks.as_array().unwrap().iter();
    let from: Vec<&Value> = from.map(|task| &task["provenance"]).collect();
    assert_eq!(from.len(), 7, "two parameters and five steps");
    assert!(from.iter().all(|it| it["procedureId"] == "train"));
    assert_eq!(from[6]["stepIndex"], 4);
    project.run(&["verify", "--strict"]).ok();
    assert_eq!(project.status(&id), "active", "only the gate completes");
    let script = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
    ));
    project.run(&["complete"]).ok();
    assert_eq!(project.status(&id), "complete");
}

#[test]
fn without_the_tool_that_searches_it_stops_and_says_so() {
    let (project, id) = journey(false);
    for (question, answer) in [
        (ORIGIN, "London"),
        (DESTINATION, "Paris"),
        (DAY, "2026-10-01"),
    ] {
        turn(&project, question, answer);
    }
    let blocked = step(&project, "blocked", Some("lift"));
    let reason = blocked["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("no tool `train-search` is configured"),
        "{reason}"
    );
    assert_eq!(project.status(&id), "blocked");
    assert_eq!(project.started(), 0, "nothing took its place");
    step(&project, "nothing", Some("resume"));
    for command in ["status", "show"] {
        let text = project.run(&[command]).ok().stdout;
        assert!(
            text.contains("task 4 cannot go on: Search for trains"),
            "{text}"
        );
    }
    let refused = project.run(&["complete", "--json"]);
    assert_eq!(refused.exits(5).error_code(), "tasks_open");
}

/// A step that names what is not there fails, and shows nothing in its place.
#[test]
fn what_a_procedure_presents_and_nobody_gave_is_a_failed_attempt() {
    let (project, _) = Project::with_goal("Hand over the keys");
    let procedure =
        "---\ntitle: Hand over the keys\n---\n\n## Steps\n\n1. Show them\n   - present: keyList\n";
    std::fs::create_dir_all(project.goals("procedures")).unwrap();
    std::fs::write(project.goals("procedures/keys.md"), procedure).unwrap();
    project.run(&["plan", "--procedure", "keys"]).ok();
    project.run(&["evidence", "add", "address", "at home"]).ok();
    let failed = step(&project, "failed", None);
    assert_eq!(
        failed["reason"],
        "there is no evidence `keyList` to be shown"
    );
    assert_eq!(failed["presented"], Value::Null);
    assert_eq!(failed["task"]["attempts"], 1);
    project.run(&["evidence", "add", "keyList", "A, B"]).ok();
    let shown = step(&project, "presented", None);
    assert_eq!(shown["presented"], json!({ "keyList": "A, B" }));
}

#[test]
fn a_no_is_heard_once_and_asked_again_only_when_its_task_is_reopened() {
    let (project, id) = journey(true);
    turn(&project, ORIGIN, "London");
    turn(&project, DESTINATION, "Paris");
    turn(&project, DAY, "2026-10-01");
    step(&project, "performed", None);
    step(&project, "presented", None);
    turn(&project, BOOK, "no");
    assert_eq!(project.status(&id), "blocked");
    let told = project.run(&["status"]).ok().stdout;
    assert!(
        told.contains("the user answered no to: Shall I book"),
        "{told}"
    );
    step(&project, "nothing", Some("resume"));
    project.run(&["resume"]).ok();
    step(&project, "nothing", Some("lift"));
    let reopen = ["task", "reopen", "6", "--reason", "a later train"];
    project.run(&reopen).ok();
    turn(&project, BOOK, "no");
    assert_eq!(project.events_of_type("question_asked").len(), 5);
    let booked = project.events_of_type("evidence_added");
    assert!(booked.iter().all(|event| event["key"] != "booking"));
}
