//! No field of a tool is accepted and lost: sent beside what the tool needs, it is on record, changes
//! the answer, or is refused.

use serde_json::{Map, Value, json};

use crate::support::{Project, auditor};

/// What each tool is called with so that it does something; several where what goes together depends
/// on one of them. A tool that is not here needs nothing.
fn bases(name: &str) -> Vec<Value> {
    let update = |status: &str| match status {
        "active" | "complete" => json!({ "taskId": "a", "status": status }),
        _ => json!({ "taskId": "a", "status": status, "reason": "r" }),
    };
    match name {
        "propose_goal_draft" => vec![json!({ "objective": "o" })],
        "delegate_goal" => vec![json!({ "to": "t", "objective": "o" })],
        "apply_goal_tweak" => vec![json!({ "constraints": ["c"] })],
        "note_progress" => vec![json!({ "note": "n" }), json!({ "note": "n", "score": 0.1 })],
        "interpret_message" => vec![json!({ "message": "m" })],
        "ask_user" => vec![json!({ "question": "q" })],
        "set_goal_tasks" => vec![
            json!({ "tasks": [{ "id": "a", "title": "work" }, { "title": "t" }] }),
            json!({ "tasks": [{ "title": "t" }], "append": true }),
            json!({ "tasks": [{ "title": "t" }], "under": "a" }),
        ],
        "add_goal_tasks" => vec![json!({ "tasks": [{ "title": "t" }] })],
        "update_goal_task" => [
            "active", "complete", "skipped", "failed", "blocked", "pending",
        ]
        .map(update)
        .into_iter()
        .chain([json!({ "taskId": "a", "evidenceKey": "k", "value": 1 })])
        .collect(),
        "add_evidence" => vec![json!({ "evidenceKey": "k", "value": 1 })],
        "iterate_goal" => vec![
            json!({ "act": "start" }),
            json!({ "act": "validate" }),
            json!({ "act": "next" }),
            json!({ "act": "complete", "outcome": "blocked", "summary": "s" }),
        ],
        "iteration_complete" => vec![json!({ "outcome": "blocked", "summary": "s" })],
        "evaluate_progress" => vec![json!({ "score": 0.1, "gapAnalysis": "g" })],
        "set_agenda" => vec![json!({ "steps": [] })],
        "plan_goal" => vec![json!({ "taskId": "a" })],
        "record_usage" => vec![json!({ "counters": { "c": 1 } })],
        "pause_goal" | "abort_goal" => vec![json!({ "reason": "r" })],
        "update_goal" => vec![json!({ "status": "complete" })],
        _ => vec![json!({})],
    }
}

/// What comes to the same with and without it, and why that is no loss.
const SAME: [(&str, &str); 7] = [
    // How long to wait for what is answered at once.
    ("update_goal", "waitSeconds"),
    // What stands below a task is added there, with it and without it.
    ("set_goal_tasks", "append"),
    // Nothing ran that could be run again.
    ("perform_step", "again"),
    // No planner is configured.
    ("plan_goal", "checkpoints"),
    ("plan_goal", "revise"),
    // The goal is continued by itself already.
    ("propose_goal_draft", "autoContinue"),
    ("delegate_goal", "autoContinue"),
];

/// A value of a field that no base has.
fn value_of(field: &str, schema: &Value) -> Value {
    match field {
        "status" => json!("skipped"),
        "act" => json!("next"),
        "mode" => json!("sisyphus"),
        "tasks" => json!([{ "title": "another" }]),
        "steps" | "agenda" => json!([{ "skill": "s", "purpose": "p" }]),
        "outcome" => json!("success"),
        "counters" => json!({ "other": 2 }),
        "calls" => json!(9),
        "limit" => json!(1),
        "score" | "priority" => json!(0.7),
        "difficulty" => json!("complex"),
        "decomp" => json!("OR"),
        "blockCompletion" => json!(false),
        "output" => json!("<promise>COMPLETE</promise>"),
        _ => match schema["type"][0].as_str().or(schema["type"].as_str()) {
            Some("boolean") => json!(true),
            Some("integer") => json!(3),
            Some("array") => json!(["mark-7"]),
            _ => json!("mark-7"),
        },
    }
}

/// A project with a goal at work: one task, an iteration where the tool goes on with one, an auditor, and
/// two other goals, one of them ended.
fn project(name: &str, arguments: &Value) -> Project {
    let (project, id) = Project::with_goal("x");
    let ended = project.set("y");
    project
        .run(&["abort", "--goal", &ended, "--reason", "r"])
        .ok();
    project.set("z");
    project.run(&["focus", &id]).ok();
    project.auditor(auditor::DISAPPROVE);
    project.run(&["task", "add", "work", "--id", "a"]).ok();
    if name == "update_goal" {
        project.run(&["task", "complete", "a"]).ok();
    }
    let begins = name == "iteration_start" || arguments["act"] == "start";
    if name.starts_with("iterat") && !begins {
        project.run(&["iterate", "start"]).ok();
    }
    if name == "iteration_next" || arguments["act"] == "next" {
        project.run(&["iterate", "validate"]).ok();
    }
    project
}

/// What the call recorded and answered, without what differs from call to call.
fn outcome(name: &str, arguments: &Value) -> (Vec<Value>, Value) {
    let project = project(name, arguments);
    let before = project.events().len();
    let ran = project.run(&["tool", name, "--data", &arguments.to_string()]);
    let mut events = project.events().split_off(before);
    for event in events.iter_mut().filter_map(Value::as_object_mut) {
        for passing in ["at", "prev", "also", "seal", "revision", "request", "start"] {
            event.remove(passing);
        }
    }
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = said["data"]["text"].clone();
    (events, json!([text, said["error"]]))
}

#[test]
fn no_field_is_accepted_and_lost() {
    let project = Project::new();
    let listed = project.run(&["tool", "--list", "--all", "--json"]).ok();
    let mut lost = Vec::new();
    let mut sent = 0;
    for tool in listed.data()["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let none = Map::new();
        let fields = tool["inputSchema"]["properties"].as_object();
        // What every tool takes from its host is tested with hosts.
        let host = ["goalId", "revision", "session", "turn", "key"];
        let own = fields.unwrap_or(&none).iter();
        let own: Vec<_> = own
            .filter(|(field, _)| !host.contains(&field.as_str()))
            .collect();
        for base in bases(name) {
            let without = outcome(name, &base);
            for (field, schema) in &own {
                let is_same = SAME.contains(&(name, field.as_str()));
                if is_same || base.get(field.as_str()).is_some() {
                    continue;
                }
                let mut with = base.clone();
                with[field.as_str()] = value_of(field, schema);
                sent += 1;
                if outcome(name, &with) == without {
                    lost.push(format!("{name} {with}"));
                }
            }
        }
    }
    assert!(sent > 120, "{sent}");
    assert_eq!(lost, [""; 0], "accepted and lost");
}
