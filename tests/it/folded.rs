//! Tools that took over what several did: each part is recorded as the tool of before records it,
//! and the tools of before still answer.

use serde_json::{Value, json};

use crate::support::{Project, Ran};

fn tool(project: &Project, name: &str, arguments: Value) -> Ran {
    project.run(&["tool", name, "--data", &arguments.to_string()])
}

fn types(ran: &Ran, project: &Project) -> Vec<Value> {
    let count = ran.data()["events"].as_array().unwrap().len();
    let events = project.events();
    let last = &events[events.len() - count..];
    last.iter().map(|event| event["type"].clone()).collect()
}

#[test]
fn a_note_can_have_a_score_and_an_agenda() {
    let (project, _) = Project::with_goal("x");
    let steps = json!([{ "skill": "test", "purpose": "see" }]);
    let all = json!({ "note": "half of it", "next": "the rest", "score": 0.5, "agenda": steps });
    let noted = tool(&project, "note_progress", all.clone()).ok();
    let expected = ["agenda_set", "goal_noted", "progress_evaluated"];
    assert_eq!(types(&noted, &project), expected);
    assert_eq!(project.last_event()["gapAnalysis"], "half of it");
    assert_eq!(noted.data()["text"], "Noted. Close the gap next.");

    // An agenda that is there already does not keep the note out.
    tool(&project, "note_progress", all.clone()).ok();
    assert_eq!(project.events_of_type("goal_noted").len(), 2);

    // The same with a key is recorded once.
    let mut all = all;
    all["agenda"][0]["done"] = true.into();
    let keyed = |arguments: &Value| {
        let data = arguments.to_string();
        let args = ["tool", "note_progress", "--key", "k", "--data", &data];
        project.run(&args).ok().data()
    };
    assert_eq!(keyed(&all)["repeated"], false);
    let before = project.ledger();
    let again = keyed(&all);
    assert_eq!(again["repeated"], true);
    assert_eq!(again["events"].as_array().unwrap().len(), 3);
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_note_of_which_one_part_is_refused_records_nothing() {
    let (project, _) = Project::with_goal("x");
    let before = project.ledger();
    let agenda = json!([{ "skill": "s", "purpose": "p" }]);
    for arguments in [
        json!({ "note": "n", "score": 1.5, "agenda": agenda }),
        json!({ "note": "", "score": 0.5, "agenda": agenda }),
        json!({ "note": "n", "shouldEscalate": true }),
    ] {
        tool(&project, "note_progress", arguments).exits(2);
        assert_eq!(project.ledger(), before);
    }
    let whole = json!({ "note": "n", "score": 0.5, "agenda": agenda });
    tool(&project, "note_progress", whole).ok();
    let recorded = project.event_types();
    let expected = ["agenda_set", "goal_noted", "progress_evaluated"];
    assert_eq!(recorded[recorded.len() - 3..], expected);
}

#[test]
fn tasks_are_set_or_added_by_one_tool() {
    let (project, _) = Project::with_goal("x");
    let set = |arguments| tool(&project, "set_goal_tasks", arguments);
    set(json!({ "tasks": [{ "title": "a" }] })).ok();
    let added = set(json!({ "tasks": [{ "title": "b" }], "append": true })).ok();
    assert_eq!(types(&added, &project), ["task_added"]);
    set(json!({ "tasks": [{ "title": "c" }], "under": "2" })).ok();
    let tree = project.run(&["task", "tree", "--json"]).ok().data();
    let titles = |list: &Value| {
        let list = list.as_array().unwrap().iter();
        list.map(|task| task["title"].clone()).collect::<Vec<_>>()
    };
    let list = &tree["tasks"]["list"];
    assert_eq!(titles(list), ["a", "b"]);
    let before = project.ledger();
    let both = json!({ "tasks": [{ "title": "d" }], "append": true, "decomp": "OR" });
    let refused = set(both).exits(2);
    assert!(refused.stdout.contains("`decomp`"), "{refused}");
    assert_eq!(project.ledger(), before);
}

#[test]
fn a_task_gets_its_evidence_by_the_tool_that_completes_it() {
    let (project, _) = Project::with_goal("x");
    let given = json!({ "kind": "hasEvidence", "key": "k" });
    let tasks = json!({ "tasks": [{ "title": "a", "doneWhen": [given] }, { "title": "b" }] });
    tool(&project, "set_goal_tasks", tasks).ok();
    let update = |arguments| tool(&project, "update_goal_task", arguments);
    let shown = update(json!({ "taskId": "1", "evidenceKey": "k", "value": 7 })).ok();
    assert!(shown.data()["task"]["status"] == "complete", "{shown}");
    update(json!({ "evidenceKey": "of the goal", "value": true })).ok();
    for (arguments, missing) in [
        (json!({ "taskId": "2" }), "`status`"),
        (json!({ "status": "active" }), "`taskId`"),
        (json!({ "evidenceKey": "k" }), "`value`"),
        (
            json!({ "taskId": "2", "status": "active", "evidenceKey": "k", "value": 1 }),
            "make two calls",
        ),
    ] {
        let refused = update(arguments).exits(2);
        assert!(refused.stdout.contains(missing), "{refused}");
    }
    update(json!({ "taskId": "2", "status": "complete" })).ok();
}

#[test]
fn one_tool_goes_round() {
    let (project, _) = Project::with_goal("x");
    let iterate = |arguments| tool(&project, "iterate_goal", arguments);
    let started = iterate(json!({ "act": "start", "maxIterations": 3 })).ok();
    assert!(started.stdout.contains("act `validate`"), "{started}");
    iterate(json!({ "act": "validate", "output": "not yet" })).ok();
    iterate(json!({ "act": "next", "learned": "more" })).ok();
    let promise = "<promise>COMPLETE</promise>";
    iterate(json!({ "act": "validate", "output": promise })).ok();
    let refused = iterate(json!({ "act": "complete", "outcome": "success" })).exits(2);
    assert!(refused.stdout.contains("`summary`"), "{refused}");
    iterate(json!({ "act": "complete", "outcome": "success", "summary": "s" })).ok();
    assert_eq!(project.events_of_type("iteration_completed").len(), 1);
}

#[test]
fn tools_that_are_not_shown_still_answer() {
    let (project, _) = Project::with_goal("x");
    let shown = project.run(&["tool", "--list"]).ok().data();
    let shown = shown["tools"].to_string();
    for (name, arguments) in [
        ("list_goals", json!({})),
        ("goal_summary", json!({})),
        ("list_questions", json!({})),
        ("step_complete", json!({ "step": 1 })),
        ("add_goal_tasks", json!({ "tasks": [{ "title": "t" }] })),
        (
            "add_evidence",
            json!({ "evidenceKey": "k", "value": 1, "taskId": "1" }),
        ),
        (
            "evaluate_progress",
            json!({ "score": 0.1, "gapAnalysis": "g" }),
        ),
        (
            "set_agenda",
            json!({ "steps": [{ "skill": "s", "purpose": "p" }] }),
        ),
        ("record_usage", json!({ "counters": { "llmCalls": 1 } })),
        ("iteration_start", json!({ "maxIterations": 2 })),
    ] {
        assert!(!shown.contains(&format!("\"{name}\"")), "{name}");
        tool(&project, name, arguments).ok();
    }
}

#[test]
fn a_listing_is_of_where_the_session_stands() {
    let project = Project::new();
    let names = |args: &[&str]| {
        let data = project
            .run(&[&["tool", "--list"], args].concat())
            .ok()
            .data();
        let tools = data["tools"].as_array().unwrap().iter();
        let names: Vec<String> = tools
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect();
        (data["phase"].clone(), names.len())
    };
    let nothing = (Value::Null, 0);
    assert_eq!(names(&[]), nothing);
    assert!(!project.goals("").exists());
    project.run(&["draft", "a topic"]).ok();
    assert_eq!(names(&[]), ("draft".into(), 2));
    project.set("x");
    assert_eq!(names(&[]), ("active".into(), 10));
    project.run(&["pause", "--reason", "r"]).ok();
    assert_eq!(names(&["--phase", "active"]), ("active".into(), 10));
    project.run(&["unfocus", "--session", "other"]).ok();
    assert_eq!(names(&["--session", "other"]), ("draft".into(), 2));
    let (phase, all) = names(&["--all"]);
    assert!(phase.is_null() && all > 25, "{all}");
    for wrong in [
        &["tool", "--all"][..],
        &["tool", "--list", "--all", "--phase", "none"],
    ] {
        project.run(wrong).exits(2);
    }
}
