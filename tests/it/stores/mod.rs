//! Ledgers that belong to a store (docs/stores.md), with the helper of `examples/`, which keeps them in
//! a directory. Two projects with homes of their own are two machines.

mod conformance;
mod kept;
mod leases;
mod outcomes;
mod together;

#[path = "../../../examples/store_directory/main.rs"]
#[expect(dead_code, reason = "the example's `main` is not called here")]
mod helper;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use camino::Utf8PathBuf;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::Project;

/// Not a test of its own: a process of the suite is the helper, where a script of [`Store`] starts it. It
/// answers through another file than the suite's own output.
#[test]
fn serves_as_a_helper() {
    let Some(dir) = std::env::var_os("GOAL_STORE_DIRECTORY") else {
        return;
    };
    let output = fs::OpenOptions::new()
        .write(true)
        .open("/dev/fd/3")
        .unwrap();
    helper::serve(dir.into(), BufReader::new(std::io::stdin()), output).unwrap();
}

/// A helper that has a turn.
pub struct Turn(Child);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.stdin = None;
        self.0.wait().unwrap();
    }
}

/// A store, which is a directory.
pub struct Store {
    dir: Utf8PathBuf,
    _keep: TempDir,
}

impl Store {
    pub fn new() -> Store {
        let keep = tempfile::tempdir().unwrap();
        let dir = Utf8PathBuf::from_path_buf(keep.path().join("store")).unwrap();
        Store { dir, _keep: keep }
    }

    /// The helper's command, in a script of the project's user. It breaks the rule that is named.
    pub fn helper(&self, project: &Project, fault: &str) -> String {
        let suite = std::env::current_exe().unwrap();
        let suite = suite.to_str().unwrap();
        let dir = &self.dir;
        let script = project.script(
            "store-helper",
            &format!(
                "export GOAL_STORE_DIRECTORY='{dir}' GOAL_STORE_FAULT='{fault}' \
                 GOAL_STORE_TURN_MS=2000\n\
                 echo $$ >>'{dir}.starts'\n\
                 exec '{suite}' --exact stores::serves_as_a_helper --nocapture 3>&1 >/dev/null"
            ),
        );
        script.to_string()
    }

    /// The processes of the helpers that were started so far.
    pub fn helpers(&self) -> Vec<String> {
        let starts = fs::read_to_string(self.dir.with_extension("starts")).unwrap_or_default();
        starts.lines().map(str::to_owned).collect()
    }

    /// Lets the project's user reach the store by a helper that breaks the rule which is named.
    pub fn reached_with(&self, project: &Project, fault: &str) {
        let script = self.helper(project, fault);
        let config = fs::read_to_string(project.user_config()).unwrap_or_default();
        let others = config.split("[store]\n").next().unwrap_or_default();
        project.configure(&format!(
            "{others}[store]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
        ));
    }

    pub fn reached_by(&self, project: &Project) {
        self.reached_with(project, "");
    }

    /// A project of one goal whose ledger is in the store as `acme/web`.
    pub fn project(&self) -> Project {
        let (project, _) = Project::with_goal("Write docs");
        self.reached_by(&project);
        project.run(&["store", "init", "acme/web"]).ok();
        project
    }

    /// Another machine with the same ledger.
    pub fn machine(&self) -> Project {
        let project = Project::new();
        self.reached_by(&project);
        project.run(&["store", "pull", "acme/web"]).ok();
        project
    }

    /// The lease of a goal, as its file says it.
    pub fn lease(&self, goal: &str) -> Value {
        let lease = fs::read(self.dir.join(format!("acme~web.{goal}.lease"))).unwrap();
        serde_json::from_slice(&lease).unwrap()
    }

    /// Whether the fault `busy_lease` has refused a renewal.
    pub fn was_busy(&self) -> bool {
        self.dir.join("busy").exists()
    }

    /// The time of a goal's lease is over.
    pub fn lapse(&self, goal: &str) {
        let mut lease = self.lease(goal);
        lease["ends"] = 0.into();
        let path = self.dir.join(format!("acme~web.{goal}.lease"));
        fs::write(path, lease.to_string()).unwrap();
    }

    /// Another helper that has the turn of the ledger until it is dropped.
    pub fn turn_of_another(&self, project: &Project) -> Turn {
        let script = self.helper(project, "");
        let mut command = Command::new("/bin/sh");
        let piped = command
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut helper = piped.spawn().unwrap();
        let begin = r#"{"verb":"begin","ledger":"acme/web","from":0,"waitMs":5000}"#;
        writeln!(helper.stdin.as_mut().unwrap(), "{begin}").unwrap();
        let answers = BufReader::new(helper.stdout.take().unwrap()).lines();
        let mut answers = answers.map(Result::unwrap);
        assert!(answers.any(|it| it.starts_with(r#"{"ok":true"#)));
        Turn(helper)
    }

    /// A store that a fault took away is there again.
    pub fn come_back(&self) {
        fs::rename(self.dir.with_extension("gone"), &self.dir).unwrap();
    }

    /// What the store has of the ledger.
    pub fn bytes(&self) -> Vec<u8> {
        let gone = self.dir.with_extension("gone");
        let dir = if gone.exists() { &gone } else { &self.dir };
        let mut bytes = fs::read(dir.join("acme~web.lines")).unwrap();
        let ends = fs::read_to_string(dir.join("acme~web.end")).unwrap();
        let end = ends.split(' ').next().unwrap().parse().unwrap();
        bytes.truncate(end);
        bytes
    }
}
