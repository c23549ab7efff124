//! Projects for tests: a ledger in a temporary directory, and a user with a home of their own.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};

use super::dirs::Dirs;
use super::environment::Terminals;
use super::{Environment, Workspace};
use crate::domain::id::EventId;
use crate::domain::seal::Key;

/// A project, gone when it is dropped.
pub struct Project {
    dir: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Project {
    /// A project whose ledger holds these lines.
    pub fn with(lines: &[impl AsRef<str>]) -> Project {
        let project = Project {
            dir: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(project.root().join(".pi/goals")).unwrap();
        let lines: String = lines
            .iter()
            .map(|line| format!("{}\n", line.as_ref()))
            .collect();
        fs::write(project.ledger(), lines).unwrap();
        project
    }

    pub fn root(&self) -> &Utf8Path {
        Utf8Path::from_path(self.dir.path()).unwrap()
    }

    pub fn ledger(&self) -> Utf8PathBuf {
        self.root().join(".pi/goals/goal_events.jsonl")
    }

    /// Where the user's key is, once there is one.
    pub fn state(&self) -> Utf8PathBuf {
        let home = Utf8Path::from_path(self.home.path()).unwrap();
        home.join("state")
    }

    /// The project as the user opens it. Nothing is kept of what was read.
    pub fn workspace(&self) -> Workspace {
        self.open(&["GOAL_NO_CACHE"])
    }

    fn open(&self, set: &[&str]) -> Workspace {
        let root = self.root();
        let state = self.state();
        let dirs = Dirs {
            cache: state.with_file_name("cache"),
            config: state.with_file_name("config"),
            state,
        };
        let variable = |name: &str| set.contains(&name).then(|| "1".into());
        let nobody = Terminals::default();
        let environment = Environment::gather(root.to_owned(), variable, nobody, Some(dirs));
        Workspace::open(Some(root.as_str()), environment.unwrap()).unwrap()
    }

    /// Every path with what stands there, to prove that nothing was touched.
    pub fn tree(&self) -> Vec<(Utf8PathBuf, Vec<u8>, std::time::SystemTime)> {
        let mut found = Vec::new();
        let mut left = vec![self.root().to_owned()];
        while let Some(path) = left.pop() {
            let modified = fs::metadata(&path).unwrap().modified().unwrap();
            if path.is_dir() {
                left.extend(
                    path.read_dir_utf8()
                        .unwrap()
                        .map(|it| it.unwrap().into_path()),
                );
                found.push((path, Vec::new(), modified));
            } else {
                let bytes = fs::read(&path).unwrap();
                found.push((path, bytes, modified));
            }
        }
        found.sort();
        found
    }
}

/// Lines of ours: these fields, each line with a link to the one before it, and sealed where there
/// is a key.
#[derive(Debug, Default)]
pub struct Linked {
    pub lines: Vec<String>,
}

impl Linked {
    /// Adds a line, and gives its id.
    pub fn push(&mut self, fields: &str, key: Option<&Key>) -> EventId {
        let prev = self.lines.last();
        let prev = prev.map_or(EventId::ZERO, |line| EventId::of_line(line.as_bytes()));
        let mut line = format!(r#"{{{fields},"at":"t","by":"user","prev":"{prev}"}}"#);
        if let Some(key) = key {
            let first = self.lines.first();
            let beginning = first.map_or(EventId::ZERO, |it| EventId::of_line(it.as_bytes()));
            key.seal(line.as_bytes(), beginning).close(&mut line);
        }
        self.lines.push(line);
        EventId::of_line(self.lines[self.lines.len() - 1].as_bytes())
    }
}
