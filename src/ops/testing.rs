//! Projects for the tests of use cases: a ledger in a temporary directory, and a call on it.

use std::fs;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::{Actor, Caller};
use crate::ops::call::Call;
use crate::workspace::environment::Terminals;
use crate::workspace::{Environment, Workspace};

/// A project, gone when it is dropped.
pub struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    /// A project whose ledger holds these lines.
    pub fn with(lines: &[impl AsRef<str>]) -> Project {
        let project = Project {
            dir: tempfile::tempdir().unwrap(),
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

    /// The user's call on the project, with `--goal` where it is given.
    pub fn call(&self, goal: Option<&str>) -> Call {
        let root = self.root();
        let nothing = |_: &str| None;
        let nobody = Terminals::default();
        let environment = Environment::gather(root.to_owned(), nothing, nobody, None);
        Call {
            workspace: Workspace::open(Some(root.as_str()), environment.unwrap()).unwrap(),
            caller: Caller::new(Actor::User),
            goal: goal.map(str::to_owned),
            expect: None,
            expect_goal: None,
            key: None,
            lock_timeout: Duration::from_secs(5),
        }
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
