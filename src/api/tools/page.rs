//! The page about the tools is made from their table: `UPDATE_TOOLS_PAGE=1` writes it anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};

use super::{ToolSpecification, list, shown};
use crate::ops::phase::{Phase, SessionPhase, Use};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tools.md");

const BEFORE: &str = "\
# Tools

The tools that agents call, through `goal tool NAME`, an extension or MCP.
`scripts/regenerate` makes this page from the table in [`src/api/tools`](../src/api/tools/mod.rs); a test fails if they differ.

```console
$ goal tool --list --session s1
$ goal tool --list --all
$ goal tool note_progress --session s1 --turn t4 --key call_8 --data '{\"note\": \"the parser reads all samples\"}'
```

- `--list` prints the tools that a model sees in the present phase of the session, with short schemas. Without a project (`.pi/goals`) it prints nothing. `--phase none|draft|active|resting|elsewhere` prints another phase, `--all` every tool with all its arguments and the schema of its answer.
- The phase is `active` or `resting` (paused or blocked) by the focused goal, `elsewhere` if another session works on that goal, `draft` if a draft is open and no goal is active, else `none`. A model sees some tools and arguments only if the project or the goal uses them; it may use all.
- A caller can also call a tool that is not shown, by its name.
- Codex and Qwen Code have tools of their own called `get_goal` and `update_goal`. There the MCP server lists ours as `get_ledger_goal` and `update_ledger_goal`. Each is also called by the other name.
- Pass the arguments as a JSON object, on stdin or with `--data` or `--data-file`. `goal` refuses an unknown or mistyped argument and names it.
- The answer is one JSON document: the envelope (`goal schema envelope`). `data.text` is for the model; the rest of `data` is for the adapter.
- The caller of a tool always counts as an agent, whatever `GOAL_ACTOR` says. One exception: the process of an auditor, which may only read.
- Do not rely on exit 0 alone: check that the document has `\"ok\": true`.

Every tool takes five more arguments, all optional. The host passes `session`, `turn` and `key`, as arguments or as options; an adapter does not show them to its model. It does not show `goalId` and `revision` either: the adapter passes the values that its session last saw, as `--expect-goal` and `--expect`; over MCP the server does this. A model may still pass `goalId` and `revision`.

";

/// One call of each, as a model would make it.
fn example(name: &str) -> Value {
    match name {
        "get_goal" => json!({ "calls": 1 }),
        "list_goals" => json!({ "status": ["paused", "blocked"] }),
        "propose_goal_draft" => json!({
            "mode": "regular",
            "objective": "Halve the time of the test suite",
            "successCriteria": ["CI needs less than five minutes"],
            "boundaries": ["no test is removed"],
            "ifBlocked": "ask which tests matter most",
        }),
        "apply_goal_tweak" => json!({
            "successCriteria": ["CI needs less than six minutes"],
            "changeSummary": "five minutes cannot be had on the free machines",
        }),
        "note_progress" => json!({
            "note": "the database tests take most of the time",
            "next": "share one database among them",
            "score": 0.4,
        }),
        "delegate_goal" => json!({
            "to": "ben",
            "objective": "Move the database tests to one shared container",
            "successCriteria": ["no test starts a database of its own"],
        }),
        "perform_step" => json!({ "again": true }),
        "interpret_message" => json!({ "message": "Book me a train to Paris" }),
        "ask_user" => json!({
            "question": "Which of the two databases is the live one?",
            "suggestions": ["blue", "green"],
        }),
        "withdraw_question" => json!({ "id": "mr5cf6ch-akrg4u" }),
        "record_usage" => json!({
            "counters": { "llmCalls": 1, "tokensIn": 1200, "tokensOut": 80, "costUsd": 0.02 },
            "model": "m",
        }),
        "set_goal_tasks" => json!({
            "tasks": [
                { "title": "Find the slow tests", "doneWhen": [{ "kind": "hasEvidence", "key": "timings" }] },
                { "title": "Make them fast", "decomp": "OR", "tasks": [
                    { "title": "Share one database" },
                    { "title": "Run them side by side", "verificationContract": "ten green runs" },
                ] },
            ],
        }),
        "add_goal_tasks" => json!({ "tasks": [{ "title": "Cache the fixtures" }], "under": "2" }),
        "update_goal_task" => json!({
            "taskId": "2.2",
            "status": "complete",
            "evidence": "CI runs 1201 to 1210, all green",
        }),
        "add_evidence" => {
            json!({ "evidenceKey": "timings", "value": { "db": 214, "all": 301 }, "taskId": "1" })
        }
        "iterate_goal" => {
            json!({ "act": "start", "maxIterations": 15, "validationRules": ["tests_pass"] })
        }
        "iteration_start" => json!({
            "taskId": "2",
            "maxIterations": 15,
            "completionPromises": ["<promise>COMPLETE</promise>", "<promise>BLOCKED</promise>"],
            "validationRules": ["tests_pass", "lint_clean"],
        }),
        "iteration_validate" => json!({ "output": "All is green.\n<promise>COMPLETE</promise>" }),
        "iteration_next" => json!({ "learned": "the pool is shared, the schema is not" }),
        "iteration_complete" => json!({
            "outcome": "success",
            "summary": "the tests share one database",
        }),
        "evaluate_progress" => json!({
            "score": 0.4,
            "gapAnalysis": "two of five suites share a database; next: the billing suite",
        }),
        "set_agenda" => json!({ "steps": [
            { "skill": "profile", "target": "the billing suite", "purpose": "see what waits", "done": true },
            { "skill": "edit", "purpose": "let it share the database" },
        ] }),
        "pause_goal" => json!({
            "reason": "the registry asks for a token",
            "suggestedAction": "set CI_TOKEN",
            "blocked": true,
        }),
        "update_goal" => json!({
            "status": "complete",
            "summary": "the suite takes four minutes",
            "evidence": ["CI run 1234"],
        }),
        "abort_goal" => json!({ "reason": "the suite is replaced altogether" }),
        _ => json!({}),
    }
}

fn types(schema: &Value) -> String {
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |schema: &Value| match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(of).find(|kind| kind != "null").unwrap(),
        kind => of(kind),
    };
    let values = |schema: &Value| {
        let values = schema["enum"].as_array()?.iter();
        let values = values.filter(|value| !value.is_null());
        Some(
            values
                .map(|value| format!("`{}`", of(value)))
                .collect::<Vec<_>>()
                .join(", "),
        )
    };
    if let Some(any) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        let any = any.iter().filter(|it| it["type"] != "null");
        let of_const = |it: &Value| Some(format!("`{}`", it["const"].as_str()?));
        let shown: Vec<String> = any
            .map(|it| of_const(it).unwrap_or_else(|| types(it)))
            .collect();
        return shown.join(", ");
    }
    if let Some(values) = values(schema) {
        return values;
    }
    if *schema == true || schema["type"].is_null() {
        return "any JSON".to_owned();
    }
    match one(schema).as_str() {
        "array" => format!("list of {}", types(&schema["items"])),
        other => other.to_owned(),
    }
}

/// Where a model is shown it, from what the listings say.
fn place(name: &str) -> String {
    let uses = [
        (Use::Changes, "a change of a contract is discussed"),
        (
            Use::Plans,
            "a planner is configured or there are procedures",
        ),
        (Use::Drafts, "a new goal is discussed"),
        (Use::Tasks, "the goal has tasks"),
        (Use::Steps, "a task is a tool to run or a question to ask"),
        (
            Use::Iterations,
            "a check is configured or an iteration is under way",
        ),
        (Use::Delegation, "the goal or a part of it was handed on"),
        (Use::Interpretation, "an interpreter is configured"),
        (Use::Waiting, "a question or a proposal waits for the user"),
    ];
    let is_shown = |phase, uses| {
        let stand = SessionPhase {
            phase: Some(phase),
            uses,
        };
        let shown = shown(&stand).tools;
        shown.iter().any(|tool| tool.name == name)
    };
    let phases = [
        (Phase::None, "none"),
        (Phase::Draft, "draft"),
        (Phase::Active, "active"),
        (Phase::Resting, "resting"),
        (Phase::Elsewhere, "elsewhere"),
    ];
    // The phases by their condition, which is empty where there is none.
    let mut places: Vec<(&str, Vec<String>)> = Vec::new();
    for (phase, word) in phases {
        let mut uses = uses.iter();
        let condition = match is_shown(phase, BTreeSet::new()) {
            true => Some(""),
            false => uses
                .find(|(it, _)| is_shown(phase, BTreeSet::from([*it])))
                .map(|(_, condition)| *condition),
        };
        let Some(condition) = condition else {
            continue;
        };
        let word = format!("`{word}`");
        match places.iter_mut().find(|(it, _)| *it == condition) {
            Some((_, words)) => words.push(word),
            None => places.push((condition, vec![word])),
        }
    }
    let places = places.iter().map(|(condition, phases)| {
        let phases = phases.join(", ");
        match *condition {
            "" => format!("Shown in: {phases}."),
            condition => format!("If {condition}, shown in: {phases}."),
        }
    });
    match places.collect::<Vec<_>>() {
        places if places.is_empty() => "Not shown.".to_owned(),
        places => places.join(" "),
    }
}

fn rows(page: &mut String, tool: &ToolSpecification, wanted: impl Fn(&str) -> bool) {
    let schema = &tool.input_schema;
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().unwrap() {
        if !wanted(name) {
            continue;
        }
        let needed = match required.contains(&Value::from(name.clone())) {
            true => ", required",
            false => "",
        };
        let about = property["description"].as_str().unwrap_or_default();
        writeln!(page, "| `{name}` | {}{needed} | {about} |", types(property)).unwrap();
    }
}

const COMMON: [&str; 5] = ["goalId", "revision", "session", "turn", "key"];

fn page() -> String {
    let list = list();
    let mut page = BEFORE.to_owned();
    page.push_str("| argument | type | |\n|---|---|---|\n");
    rows(&mut page, &list.tools[0], |name| COMMON.contains(&name));
    for tool in &list.tools {
        let hints = tool.annotations;
        let effect = match (hints.read_only_hint, hints.destructive_hint) {
            (true, _) => "Changes nothing.",
            (false, true) => "What it ends does not come back.",
            (false, false) => "Writes to the ledger.",
        };
        write!(
            page,
            "\n## {}\n\n{}\n{effect} {}\n\n",
            tool.name,
            tool.description,
            place(tool.name)
        )
        .unwrap();
        let own = |name: &str| !COMMON.contains(&name);
        if tool.input_schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .any(|name| own(name))
        {
            page.push_str("| argument | type | |\n|---|---|---|\n");
            rows(&mut page, tool, own);
            page.push('\n');
        }
        let arguments = serde_json::to_string_pretty(&example(tool.name)).unwrap();
        writeln!(page, "```json\n{arguments}\n```").unwrap();
    }
    page
}

#[test]
fn the_page_is_the_table_s() {
    let made = page();
    if std::env::var_os("UPDATE_TOOLS_PAGE").is_some() {
        fs::write(PAGE, &made).unwrap();
    }
    let message = "docs/tools.md is out of date: UPDATE_TOOLS_PAGE=1 cargo test --lib tools::page";
    assert!(
        fs::read_to_string(PAGE).unwrap_or_default() == made,
        "{message}"
    );
}

#[test]
fn every_example_fits_its_schema() {
    for tool in list().tools {
        let example = example(tool.name);
        let fits = jsonschema::draft202012::is_valid(&tool.input_schema, &example);
        assert!(fits, "{}: {example}", tool.name);
    }
}
