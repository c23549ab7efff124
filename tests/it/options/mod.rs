//! No option of the command line is accepted and lost: with it, a call is on record or answered in
//! another way than without it, or is refused. Each option and each argument of each command has a row
//! in a table beside this file.
//!
//! | a line | says |
//! |---|---|
//! | `= task add` | the command of the rows below, and the call without an option |
//! | `< note N` | a call that goes before; `<!` may fail |
//! | `$ git init` | a line for a shell that goes before |
//! | `% {}` | a line of stdin |
//! | `> task add T` | the call without an option, from here on |
//! | `--id b` | an option and its value, behind that call |
//! | `TITLE > task add U` | an option or argument with the whole call that has it |
//! | `--x \| same: why` | it comes to the same here, and why that is no loss |
//! | `--x \| not run: why` | it cannot be tried here |

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Project, auditor};

/// Files that calls name.
const FILES: [(&str, &str); 10] = [
    ("PLAN.md", "- [ ] work\n- [ ] more\n"),
    ("OTHER.md", "- [ ] other\n"),
    ("STEPS.json", r#"[{"skill":"s","purpose":"p"}]"#),
    ("OTHERSTEPS.json", r#"[{"skill":"t","purpose":"p"}]"#),
    ("DATA.json", r#"{"title":"t"}"#),
    ("GOALS.jsonl", "{\"objective\":\"a\"}\n"),
    ("TASKS.jsonl", "{\"title\":\"a\"}\n"),
    ("EVIDENCE.jsonl", "{\"key\":\"a\",\"value\":1}\n"),
    (
        "AGENT.md",
        "---\nname: a\niteration:\n  maxIterations: 3\n---\nWork.\n",
    ),
    (
        "PROCEDURE.md",
        include_str!("../../../fixtures/procedures/train.md"),
    ),
];

/// Commands, a check, an agent and a reviewer, all of the user's own.
const CONFIGURATION: &str = r#"
[checks.lint]
command = ["true"]
[runner.agent]
command = ["true"]
[reviewer.risk]
command = ["cat"]
"#;

/// One option or argument.
#[derive(Debug, Clone)]
struct Row {
    path: String,
    name: String,
    before: Vec<(String, String)>,
    without: String,
    with: String,
    /// Why it comes to the same, or cannot be tried.
    reason: Option<String>,
}

fn rows(table: &str) -> Vec<Row> {
    let (mut path, mut without) = (String::new(), String::new());
    let mut before = Vec::new();
    let mut rows = Vec::new();
    for line in table.lines().filter(|it| !it.is_empty()) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        match first {
            "#" => {}
            "=" => {
                (path, without) = (rest.to_owned(), rest.to_owned());
                before.clear();
            }
            "<" | "<!" | "$" | "%" => before.push((first.to_owned(), rest.to_owned())),
            ">" => rest.clone_into(&mut without),
            name => {
                let (call, reason) = match line.split_once(" | ") {
                    Some((call, reason)) => (call, Some(reason.to_owned())),
                    None => (line, None),
                };
                let with = match call.split_once(" > ") {
                    Some((_, whole)) => whole.to_owned(),
                    None => format!("{without} {call}"),
                };
                rows.push(Row {
                    path: path.clone(),
                    name: name.to_owned(),
                    before: before.clone(),
                    without: without.clone(),
                    with,
                    reason,
                });
            }
        }
    }
    rows
}

/// A project with a goal at work, one that was aborted, one that nobody works on, a task and files.
fn project() -> Project {
    let project = Project::new();
    for (name, text) in FILES {
        fs::write(project.root.join(name), text).unwrap();
    }
    project.auditor(auditor::DISAPPROVE);
    let of_auditor = fs::read_to_string(project.user_config()).unwrap();
    project.edit_configuration(&(of_auditor + CONFIGURATION));
    for line in [
        "set x",
        "set y",
        "abort --reason r",
        "set z",
        "focus x",
        "task add work",
    ] {
        project.run(&words(line)).ok();
    }
    project
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The call, with the ids for the words that stand for them.
fn with_ids(project: &Project, line: &str) -> Vec<String> {
    let latest = |field: &str| {
        let mut events = project.events().into_iter().rev();
        let id = events.find_map(|it| Some(it.get(field)?.as_str()?.to_owned()));
        id.unwrap_or_else(|| "none".to_owned())
    };
    let revision = || {
        let drafts = project.look(&["drafts"]);
        let drafts = drafts["drafts"].as_array().unwrap().iter();
        let mut proposed = drafts.filter(|draft| !draft["proposal"].is_null());
        let of_draft = proposed.next().map(|draft| draft["revision"].clone());
        let of_goal = || project.look(&["show", "x"])["goal"]["revision"].clone();
        of_draft.unwrap_or_else(of_goal)
    };
    let id = |word: &str| match word {
        "QUESTION" => latest("questionId"),
        "DRAFT" => latest("draftId"),
        "RUN" => latest("runId"),
        "REVISION" => revision().as_str().unwrap().to_owned(),
        _ => word.to_owned(),
    };
    words(line).into_iter().map(id).collect()
}

fn shell(project: &Project, line: &str) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).current_dir(&project.root);
    project.hermetic(&mut command);
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "a")
            .env(format!("GIT_{who}_EMAIL"), "a@b.example")
            .env(format!("GIT_{who}_DATE"), "1700000000 +0000");
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{line}\n{done:?}");
}

/// What a call records, answers and writes, without what differs from call to call.
fn outcome(before: &[(String, String)], line: &str) -> (Vec<Value>, Value) {
    let project = project();
    let mut stdin = String::new();
    for (kind, line) in before {
        match kind.as_str() {
            "$" => shell(&project, line),
            "%" => stdin += &format!("{line}\n"),
            _ => {
                let args = with_ids(&project, line);
                let args: Vec<&str> = args.iter().map(String::as_str).collect();
                let ran = project.run(&args);
                assert!(kind == "<!" || ran.code == Some(0), "{line}\n{ran}");
            }
        }
    }
    let known = project.events().len();
    let args = with_ids(&project, line);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = project.call(&args).stdin(&stdin).run();
    // A new ledger begins anew.
    let mut events = project.events();
    events.drain(..known.min(events.len()));
    for event in events.iter_mut().filter_map(Value::as_object_mut) {
        let passing = [
            "at",
            "prev",
            "also",
            "seal",
            "revision",
            "request",
            "start",
            "pid",
            "durationMs",
        ];
        for passing in passing {
            event.remove(passing);
        }
        if event["type"] == "usage_recorded" && event["by"] == "system" {
            event.remove("counters");
        }
    }
    let said = [&ran.stdout, &ran.stderr].map(|it| without_durations(it));
    let config = fs::read_to_string(project.user_config()).unwrap();
    let config = config.replace(project.aside.as_str(), "");
    let files = fs::read_dir(&project.root).unwrap();
    let files: BTreeSet<String> = files
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    (events, serde_json::json!([ran.code, said, config, files]))
}

/// `turn 1: N s` of `turn 1: 0.2 s`.
fn without_durations(text: &str) -> String {
    let mut said = String::new();
    for piece in text.split_inclusive([' ', '\n', ',', '.', ')']) {
        let word = piece.trim_end_matches([' ', '\n', ',', '.', ')']);
        if matches!(word, "s" | "ms") {
            said.truncate(said.trim_end_matches([' ', '.']).len());
            said.truncate(
                said.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
                    .len(),
            );
            said += "N ";
        }
        said += piece;
    }
    said
}

/// The rows of the commands that this build has.
fn of_this_build(table: &str) -> Vec<Row> {
    let manual = goal_ledger::manual();
    let is_there = |row: &Row| manual.find_subcommand(words(&row.path)[0]).is_some();
    rows(table).into_iter().filter(is_there).collect()
}

/// What of this table is accepted and lost.
fn lost(table: &str) -> Vec<String> {
    let mut bases = BTreeMap::new();
    let mut lost = Vec::new();
    for row in of_this_build(table) {
        let reason = row.reason.as_deref().unwrap_or_default();
        if reason.starts_with("not run: ") {
            continue;
        }
        let base = (row.before.clone(), row.without.clone());
        let without = bases
            .entry(base)
            .or_insert_with(|| outcome(&row.before, &row.without));
        let is_same = outcome(&row.before, &row.with) == *without;
        if is_same && reason.is_empty() {
            lost.push(format!("`goal {}` is as `goal {}`", row.with, row.without));
        }
    }
    lost
}

const ASKED: &str = include_str!("asked.txt");
const WORK: &str = include_str!("work.txt");
const LEDGER: &str = include_str!("ledger.txt");
const SETUP: &str = include_str!("setup.txt");

#[test]
fn no_option_about_goals_is_lost() {
    assert_eq!(lost(ASKED), [""; 0]);
}

#[test]
fn no_option_about_work_is_lost() {
    assert_eq!(lost(WORK), [""; 0]);
}

#[test]
fn no_option_about_runs_and_the_ledger_is_lost() {
    assert_eq!(lost(LEDGER), [""; 0]);
}

#[test]
fn no_option_about_the_set_up_is_lost() {
    assert_eq!(lost(SETUP), [""; 0]);
}

/// The options and arguments of each command that has a handler of its own, without those of every
/// command and without second spellings of a command.
fn defined(command: &clap::Command, path: &str, all: &mut BTreeSet<(String, String)>) {
    for argument in command.get_arguments() {
        let name = match (argument.get_long(), argument.is_positional()) {
            (Some(long), _) => format!("--{long}"),
            (None, true) => argument.get_value_names().unwrap_or_default()[0].to_string(),
            (None, false) => continue,
        };
        let is_everywhere = argument.is_global_set() || name == "--help";
        if !is_everywhere && !argument.is_hide_set() {
            all.insert((path.to_owned(), name));
        }
    }
    for below in command.get_subcommands() {
        let path = format!("{path} {}", below.get_name());
        defined(below, path.trim(), all);
    }
}

#[test]
fn every_option_of_every_command_has_a_row() {
    let help = Project::new().run(&["help", "all"]).ok().stdout;
    let is_second = |name: &str| {
        let mut lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let is_it = |line: &str| line.split_whitespace().next() == Some(name);
        lines
            .find(|line| is_it(line))
            .is_none_or(|line| line.contains("= "))
    };
    let manual = goal_ledger::manual();
    let mut all = BTreeSet::new();
    for command in manual.get_subcommands() {
        let name = command.get_name();
        if name != "help" && !is_second(name) {
            defined(command, name, &mut all);
        }
    }
    let tables = [ASKED, WORK, LEDGER, SETUP].map(of_this_build).concat();
    let have: BTreeSet<(String, String)> =
        tables.into_iter().map(|row| (row.path, row.name)).collect();
    let missing: Vec<_> = all.difference(&have).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
    let unknown: Vec<_> = have.difference(&all).collect();
    assert!(unknown.is_empty(), "a row for {unknown:?}");
    assert!(all.len() > 280, "{}", all.len());
}
