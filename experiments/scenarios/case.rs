//! What a case is: a stage, steps to play, and what must be true afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A case, as its `case.toml` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name of its folder.
    #[serde(skip)]
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// Why only the case's own scripts can play it: a real agent does not do what it needs.
    pub script_only: Option<String>,
    #[serde(default)]
    pub setup: Setup,
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
    #[serde(rename = "expect")]
    pub expectations: Vec<Expectation>,
}

/// What is there before the first step.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// Files of the project, committed to a new git repository.
    pub files: BTreeMap<String, String>,
    /// Executable scripts outside the project, on the `PATH`: auditors, tools, agents of runs.
    pub scripts: BTreeMap<String, String>,
    /// The project's configuration, which the user trusts.
    pub config: String,
    /// What the user types beforehand, for `/bin/sh -e`.
    pub user: String,
}

/// One thing that somebody does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What the user types at a shell, for `/bin/sh`.
    pub user: Option<String>,
    /// What the user says to the agent.
    pub say: Option<String>,
    /// What a scripted agent then does, for `/bin/sh`; the prompt is its stdin, and what it prints
    /// is its reply. A real agent gets the same prompt.
    pub agent: Option<String>,
    /// The host's session.
    #[serde(default = "first_session")]
    pub session: String,
    /// What was said before is gone from the agent's prompt, as after compaction or in a new
    /// process.
    #[serde(default)]
    pub forgotten: bool,
    /// How the agent is told what the ledger knows.
    #[serde(default)]
    pub told_by: ToldBy,
}

/// The ways in which an agent is told what the ledger knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToldBy {
    /// The commands that print summary and prompts, before every turn.
    #[default]
    Commands,
    /// The host's hooks, and nothing else.
    Hook,
    /// `goal tool get_goal`.
    Tool,
    /// `get_goal` of a server that speaks MCP, and what the server says of itself.
    Mcp,
}

fn first_session() -> String {
    "s1".into()
}

/// Something that must be true in the end, judged by ledger, documents, work tree and replies.
#[derive(Debug, Deserialize)]
pub struct Expectation {
    /// What it is, in words for whoever reads the table.
    pub that: String,
    /// The scripted agent breaks this on purpose, and the rubric must notice. A real agent is
    /// expected to keep it.
    #[serde(default)]
    pub broken_by_script: bool,
    #[serde(flatten)]
    pub look: Look,
}

/// Where to look, and for what.
#[derive(Debug, Deserialize)]
#[serde(tag = "look", rename_all = "snake_case", deny_unknown_fields)]
pub enum Look {
    /// How many events there are of a type, with these fields.
    Events {
        #[serde(rename = "type")]
        kind: String,
        #[serde(default)]
        with: BTreeMap<String, serde_json::Value>,
        #[serde(default = "one")]
        at_least: usize,
        at_most: Option<usize>,
    },
    /// Events of these types follow each other, with others between them.
    Order { types: Vec<String> },
    /// A goal, counted from 1 in the order of creation, has this status.
    Goal {
        #[serde(default = "one")]
        nth: usize,
        status: String,
    },
    /// These files are as they were until an event of this type, or to the end.
    Untouched {
        paths: Vec<String>,
        until: Option<String>,
    },
    /// A command of the user, for `/bin/sh`, exits so.
    Command {
        run: String,
        #[serde(default)]
        exit: i32,
    },
    /// The agent's reply in the nth step asks something, or does not.
    Asks { step: usize, asks: bool },
    /// The nth step, of whoever plays it, exits so.
    Exit { step: usize, exit: i32 },
}

fn one() -> usize {
    1
}

/// Reads the cases of a folder, in the order of their names.
pub fn load(folder: &Path, names: &[String]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path().join("case.toml");
        let name = path.parent().and_then(Path::file_name);
        let name = name.map_or_else(String::new, |it| it.to_string_lossy().into_owned());
        if !names.is_empty() && !names.iter().any(|wanted| name.contains(wanted)) {
            continue;
        }
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let case: Case =
            toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
        for step in &case.steps {
            ensure!(
                step.user.is_some() != step.say.is_some(),
                "a step of {name} is the user's at a shell (`user`) or said to the agent (`say`)"
            );
        }
        cases.push(Case { name, ..case });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}
