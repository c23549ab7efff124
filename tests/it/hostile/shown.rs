//! Terminal escapes, bidirectional and invisible characters in every stored field, shown by every
//! command that shows something, as text and as JSON.

use serde_json::{Value, json};

use crate::support::Project;

/// A title that would set the window's, clear the screen, turn the line around and hide words.
const EVIL: &str =
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200b}\u{e0041}\r\u{8}\u{0}";

/// What steers a terminal. JSON escapes the first kind and may hold the others.
fn steers(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

fn hides(c: char) -> bool {
    "\u{202e}\u{2066}\u{200b}\u{e0041}\u{2028}".contains(c)
}

/// Every pinned event with every text in it replaced, about one goal.
fn every_field_evil() -> String {
    let pinned = include_str!("../../../fixtures/events/every_variant.jsonl");
    let mut ledger = String::new();
    for line in pinned.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        poison(&mut event);
        // An ended goal shows less.
        let name = event["type"].as_str().unwrap();
        if [
            "goal_completed",
            "goal_aborted",
            "goal_failed",
            "goal_abandoned",
        ]
        .contains(&name)
        {
            event["goalId"] = json!(format!("b-{name}"));
        }
        ledger += &format!("{event}\n");
    }
    ledger
}

/// Every text below, names of fields excepted.
fn poison_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = EVIL.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(poison_all),
        Value::Object(fields) => {
            // Without these it is no task and no condition.
            let kept = |name: &str| ["decomp", "kind"].contains(&name);
            let fields = fields.iter_mut().filter(|(name, _)| !kept(name));
            fields.for_each(|(_, value)| poison_all(value));
        }
        _ => {}
    }
}

fn poison(event: &mut Value) {
    let kept = [
        "type",
        "goalId",
        "prev",
        "verdict",
        "mode",
        "outcome",
        "by",
        "childGoalId",
    ];
    for (key, value) in event.as_object_mut().unwrap() {
        match value {
            Value::String(text) if !kept.contains(&key.as_str()) => *text = EVIL.to_owned(),
            Value::Array(_) | Value::Object(_) => poison_all(value),
            _ => {}
        }
    }
    if event.get("goalId").is_some() {
        event["goalId"] = json!("a");
    }
}

/// A live lease whose every text is evil, and one that is none.
fn plant_evil_lease(project: &Project) {
    let lease = json!({
        "goalId": "a",
        "owner": {"sessionId": EVIL, "pid": std::process::id()},
        "acquiredAt": EVIL,
        "heartbeatAt": EVIL,
        "expiresAt": "2100-01-01T00:00:00Z",
    });
    std::fs::create_dir(project.goals(".locks")).unwrap();
    std::fs::write(project.goals(".locks/a.lock"), lease.to_string()).unwrap();
    std::fs::write(project.goals(".locks/b-goal_failed.lock"), EVIL).unwrap();
}

/// Runs a command on that ledger; its exit code is not the matter here.
#[track_caller]
fn shows_nothing_hidden(args: &[&str]) {
    let project = Project::new();
    project.put_ledger(every_field_evil());
    plant_evil_lease(&project);
    let text = project.run(&[args, &["--color", "never"]].concat());
    let bad = |text: &str| text.contains(|c| steers(c) || hides(c));
    assert!(!bad(&text.stdout), "{:?}", text.stdout);
    assert!(!bad(&text.stderr), "{:?}", text.stderr);
    assert!(!text.stdout.is_empty() || !text.stderr.is_empty());
    let json = project.run(&[args, &["--json"]].concat());
    assert!(!json.stdout.contains(steers), "{:?}", json.stdout);
    assert!(!bad(&json.stderr), "{:?}", json.stderr);
    for line in json.stdout.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
}

macro_rules! commands {
    ($($name:ident: $args:expr;)*) => {
        $(#[test]
        fn $name() {
            shows_nothing_hidden(&$args);
        })*
    };
}

commands! {
    list: ["list", "--all"];
    show: ["show", "--goal", "a"];
    show_an_ended_one: ["show", "--goal", "b-goal_completed"];
    status: ["status"];
    log: ["log"];
    drafts: ["drafts"];
    summary: ["summary"];
    prompt_active: ["prompt", "active", "--goal", "a"];
    prompt_audit: ["prompt", "audit", "--goal", "a"];
    prompt_continue: ["prompt", "continue", "--goal", "a"];
    task_tree: ["task", "tree", "--goal", "a"];
    stack: ["stack", "--goal", "a"];
    next: ["next", "--goal", "a"];
    evidence: ["evidence", "list", "--goal", "a"];
    task: ["task", "add", EVIL_ARGUMENT, "--goal", "a", "--criteria", EVIL_ARGUMENT];
    an_unknown_task: ["task", "complete", EVIL_ARGUMENT, "--goal", "a"];
    doctor: ["doctor"];
    leases: ["lease", "list"];
    a_lease_that_is_held: ["lease", "acquire", "--goal", "a", "--session", "s", "--pid", "1"];
    a_lease_that_is_taken_away: ["lease", "release", "--goal", "a"];
    verify: ["verify"];
    repair: ["repair"];
    note: ["note", EVIL_ARGUMENT, "--goal", "a"];
    pause: ["pause", "--reason", EVIL_ARGUMENT, "--goal", "a"];
    set: ["set", EVIL_ARGUMENT];
    draft: ["draft", EVIL_ARGUMENT];
    propose: ["propose", EVIL_ARGUMENT];
    complete: ["complete", "--goal", "a", "--summary", EVIL_ARGUMENT, "--auditor", "false"];
    an_unknown_goal: ["show", "--goal", EVIL_ARGUMENT];
    an_unknown_command: [EVIL_ARGUMENT];
    an_unknown_option: ["list", "--\u{1b}[2J\u{202e}"];
    a_root: ["list", "--root", EVIL_ARGUMENT];
    an_auditor: ["complete", "--goal", "a", "--auditor", EVIL_ARGUMENT];
}

/// The same without NUL, which no argument can hold.
const EVIL_ARGUMENT: &str =
    "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200b}\u{e0041}\r\u{8}";
