//! With `--json`, and through `goal tool`, stdout holds exactly one JSON document in every state:
//! every command, with its data held against its schema, and every error that a caller can cause.

mod errors;
mod iterations;
mod owners;
mod progress;
mod runs;
mod tasks;

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::schemas::validator;
use crate::support::{Project, Ran, auditor};

/// Checks the document, and its data against the schema that it names.
#[track_caller]
fn document(ran: &Ran) -> Value {
    let document = ran.json();
    let envelope = validator("envelope");
    assert!(envelope.is_valid(&document), "{ran}");
    assert_eq!(document["ok"], ran.code == Some(0), "{ran}");
    let name = document["schema"]
        .as_str()
        .unwrap()
        .split('/')
        .nth(1)
        .unwrap();
    if name != "error" && !document["data"].is_null() {
        let schema = validator(name);
        if let Err(error) = schema.validate(&document["data"]) {
            panic!("{name}: {error} at {}\n{ran}", error.instance_path());
        }
    }
    if let Some(code) = document["error"]["code"].as_str() {
        assert!(validator("errors").is_valid(&code.into()), "{ran}");
    }
    document
}

/// One life in which every command has its place: its arguments, and how it must end.
const LIFE: &[(i32, &[&str])] = &[
    (0, &["init"]),
    (0, &["status"]),
    (0, &["list"]),
    (0, &["summary"]),
    (0, &["tool", "get_goal"]),
    (0, &["draft", "a topic"]),
    (0, &["propose", "an objective"]),
    (0, &["drafts"]),
    (0, &["reject"]),
    (0, &["propose", "another objective"]),
    (0, &["confirm"]),
    (
        0,
        &["set", "Make it so", "--criteria", "c", "--priority", "0.5"],
    ),
    (0, &["note", "n", "--next", "m"]),
    (0, &["wait", "--for", "the review", "--until", "8h"]),
    (0, &["tool", "note_progress", "--data", r#"{"note":"n"}"#]),
    (
        0,
        &["tool", "apply_goal_tweak", "--data", r#"{"title":"t"}"#],
    ),
    (0, &["tweak", "--title", "u"]),
    (0, &["review", "--role", "risk", "--reviewer", "cat"]),
    (5, &["review", "--role", "risk"]),
    (5, &["plan"]),
    (74, &["plan", "--planner", "cat"]),
    (5, &["tool", "plan_goal"]),
    (0, &["procedure", "list", "Make it so"]),
    (3, &["procedure", "show", "none"]),
    (0, &["procedure", "check"]),
    (0, &["step"]),
    (0, &["tool", "perform_step"]),
    (0, &["tool", "list_questions"]),
    (0, &["questions"]),
    (3, &["answer", "q", "v"]),
    (3, &["withdraw", "q"]),
    (3, &["tool", "withdraw_question", "--data", r#"{"id":"q"}"#]),
    (5, &["interpret", "m"]),
    (0, &["context", "summarize", "so far"]),
    (0, &["pause", "--reason", "r"]),
    (0, &["resume"]),
    (0, &["block", "--reason", "r"]),
    (0, &["show"]),
    (0, &["resume"]),
    (0, &["lease", "acquire", "--session", "s", "--pid", "1"]),
    (0, &["lease", "renew", "--session", "s", "--pid", "1"]),
    (0, &["lease", "list"]),
    (0, &["list"]),
    (0, &["show"]),
    (0, &["lease", "release", "--session", "s"]),
    (0, &["unfocus"]),
    (3, &["show"]),
    (2, &["focus"]),
    (0, &["focus", "GOAL"]),
    (4, &["adopt", "GOAL"]),
    (0, &["prompt", "active"]),
    (6, &["complete"]),
    (0, &["tool", "get_goal"]),
    // A proposal waits for the user by now.
    (
        5,
        &["tool", "update_goal", "--data", r#"{"status":"complete"}"#],
    ),
    (0, &["status"]),
    (0, &["auditor", "test"]),
    (0, &["tool", "pause_goal", "--data", r#"{"reason":"r"}"#]),
    (
        0,
        &[
            "tool",
            "propose_goal_draft",
            "--data",
            r#"{"objective":"o"}"#,
        ],
    ),
    (0, &["tool", "list_goals", "--data", r#"{"all":true}"#]),
    (0, &["tool", "goal_summary"]),
    (0, &["tool", "step_complete"]),
    (5, &["tool", "create_goal"]),
    (0, &["tool", "--list"]),
    (0, &["tool", "--list", "--all"]),
    (0, &["tool", "--list", "--phase", "resting"]),
    (0, &["resume"]),
    (0, &["tool", "abort_goal", "--data", r#"{"reason":"r"}"#]),
    (0, &["set", "more"]),
    (0, &["abort", "--reason", "r"]),
    (0, &["set", "more"]),
    (0, &["fail", "--reason", "r"]),
    (0, &["set", "more"]),
    (0, &["abandon", "--reason", "r"]),
    (0, &["list", "--all"]),
    (0, &["sync", "--status"]),
    (0, &["store", "status"]),
    (0, &["doctor"]),
    (3, &["settle"]),
    (0, &["verify"]),
    (0, &["repair"]),
    (0, &["trust", "--show"]),
    (0, &["trust"]),
    (0, &["config"]),
    (0, &["config", "set", "runner.retryFor", "60"]),
    (2, &["config", "set", "runner.colour", "red"]),
    (2, &["config", "edit"]),
    (0, &["completions", "bash"]),
    (0, &["set", "--like", "GOAL"]),
    // What would be recorded.
    (0, &["task", "import", "PLAN.md", "--dry-run"]),
    (0, &["import", "PLAN.md", "--as", "goals", "--dry-run"]),
    (0, &["task", "set", "PLAN.md", "--dry-run"]),
    (0, &["abort", "--reason", "r"]),
    // The other spellings have the same data.
    (0, &["draft", "--list"]),
    (3, &["focus", "--none"]),
    (0, &["doctor", "--repair"]),
    (0, &["plan", "procedures"]),
    (3, &["task", "stack"]),
    (0, &["progress", "iterate", "stats"]),
    (0, &["schema"]),
    (0, &["schema", "envelope"]),
    (0, &["tour"]),
];

/// Commands whose stdout is something else by contract (docs/design/surfaces.md#one-answer): what a
/// host reads, a document a line, and a screen.
const OTHERWISE: [&str; 4] = ["hook", "log", "mcp", "watch"];

/// Every family's calls, in an order in which they can be made.
fn life() -> impl Iterator<Item = &'static (i32, &'static [&'static str])> {
    let families = [
        LIFE,
        tasks::LIFE,
        iterations::LIFE,
        progress::LIFE,
        owners::LIFE,
        runs::LIFE,
    ];
    families.into_iter().flatten()
}

#[test]
fn every_command_prints_one_document_that_fits_its_schema() {
    let project = Project::new();
    project.auditor(auditor::DISAPPROVE);
    fs::write(project.root.join("PLAN.md"), tasks::PLAN).unwrap();
    for (exit, args) in life() {
        if *args == ["auditor", "test"] {
            project.auditor(auditor::APPROVE);
        }
        let made = project.events_of_type("goal_created");
        let goal = made
            .last()
            .map_or("", |event| event["goalId"].as_str().unwrap());
        let confirmation = match *args {
            ["confirm"] => project.confirmation(),
            _ => Vec::new(),
        };
        let args: Vec<&str> = match &confirmation[..] {
            [] => args.iter().map(|arg| arg.replace_goal(goal)).collect(),
            words => words.iter().map(String::as_str).collect(),
        };
        let ran = project.run(&[&["--json"], &args[..]].concat());
        assert_eq!(ran.code, Some(*exit), "{args:?}: {ran}");
        let document = document(&ran);
        assert_eq!(ran.stderr, "", "{args:?}");
        if matches!(exit, 6 | 7) {
            assert!(document["data"].is_object(), "{ran}");
        }
    }
    let called: BTreeSet<&str> = life().map(|(_, args)| args[0]).collect();
    for name in commands() {
        let known = called.contains(name.as_str()) || OTHERWISE.contains(&name.as_str());
        assert!(known, "no call of `{name}` stands in this table");
    }
}

trait Placeholder {
    fn replace_goal<'a>(&'a self, goal: &'a str) -> &'a str;
}

impl Placeholder for &str {
    fn replace_goal<'a>(&'a self, goal: &'a str) -> &'a str {
        if *self == "GOAL" { goal } else { self }
    }
}

/// The names of the commands, from the help. `progress` has none of its own: its parts have.
fn commands() -> Vec<String> {
    let names = crate::support::commands();
    names.into_iter().filter(|it| it != "progress").collect()
}
