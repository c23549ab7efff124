//! A project to be spoilt: what is written into `.pi/goals`, and what commands then say as JSON.

use std::fs;

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::support;
use crate::support::lines::tip;

/// A project that has its directories and nothing in them.
pub struct Project(pub support::Project);

/// What a call said.
pub struct Said {
    pub exit: i32,
    pub json: Value,
}

impl Project {
    pub fn new() -> Project {
        let project = support::Project::new();
        fs::create_dir_all(project.goals("archived")).unwrap();
        Project(project)
    }

    pub fn path(&self, name: &str) -> Utf8PathBuf {
        self.0.root.join(name)
    }

    pub fn goals(&self, name: &str) -> Utf8PathBuf {
        self.0.goals(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.goals(name), text).unwrap();
    }

    pub fn ledger(&self) -> String {
        fs::read_to_string(self.goals("goal_events.jsonl")).unwrap()
    }

    /// Adds lines that another program could have written.
    pub fn append(&self, text: impl AsRef<[u8]>) {
        let path = self.goals("goal_events.jsonl");
        let mut bytes = fs::read(&path).unwrap_or_default();
        bytes.extend_from_slice(text.as_ref());
        fs::write(path, bytes).unwrap();
    }

    /// A line with a link to the last one of the ledger.
    pub fn linked(&self, fields: &str) -> String {
        let last = tip(self.ledger().as_bytes());
        format!(r#"{{{fields},"at":"t","prev":"{last}"}}"#)
    }

    /// The active document's name.
    pub fn document(&self) -> String {
        let mut names = fs::read_dir(self.goals("")).unwrap();
        let found = names.find_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            (name.starts_with("active_goal_") && name.ends_with(".md")).then_some(name)
        });
        found.unwrap()
    }

    pub fn goal(&self, arguments: &[&str]) -> Said {
        self.goal_with(&[], arguments)
    }

    /// The same with variables in the environment.
    pub fn goal_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let call = self.0.call(&[&["--json"], arguments].concat());
        let ran = variables
            .iter()
            .fold(call, |call, (name, value)| call.env(name, value))
            .run();
        let json = ran.json();
        let exit = ran.code.unwrap();
        Said { exit, json }
    }

    /// A goal of ours: two lines, a document.
    pub fn set(&self) -> String {
        let said = self.goal(&["set", "Sow the field"]);
        said.json["data"]["goalId"].as_str().unwrap().to_owned()
    }
}
