//! A project in a temporary directory, and the program run in it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// A project of its own with a home of its own.
pub struct Project {
    dir: TempDir,
}

/// What a call said.
pub struct Said {
    pub exit: i32,
    pub json: Value,
}

impl Project {
    pub fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("p/.pi/goals/archived")).unwrap();
        Project { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("p").join(name)
    }

    pub fn goals(&self, name: &str) -> PathBuf {
        self.path(".pi/goals").join(name)
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
        let home = self.dir.path().join("home");
        let output = Command::new(env!("CARGO_BIN_EXE_goal"))
            .args(["--root", "p", "--json"])
            .args(arguments)
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", &home)
            .env("PATH", "/usr/bin:/bin")
            .env("GOAL_ACTOR", "user")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            panic!("{arguments:?}: {error}\n{stderr}")
        });
        let exit = output.status.code().unwrap();
        Said { exit, json }
    }

    /// A goal of ours: two lines, a document.
    pub fn set(&self) -> String {
        let said = self.goal(&["set", "Sow the field"]);
        said.json["data"]["goalId"].as_str().unwrap().to_owned()
    }
}
