//! A temporary project, and the program run in it as if nothing else existed on the machine.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tempfile::TempDir;

use super::Ran;

/// The time of a project's first call; each later one is a second later.
const START: &str = "2026-01-01T00:00:00Z";

/// A project of its own, with a home of its own beside it. Removed when dropped.
#[derive(Debug)]
pub struct Project {
    /// The project's root, canonical.
    pub root: Utf8PathBuf,
    /// Beside the project: the home, scripts, and what scripts leave.
    pub aside: Utf8PathBuf,
    calls: AtomicU64,
    _dir: TempDir,
}

impl Project {
    /// An empty project: not even `.pi` is there.
    pub fn new() -> Project {
        let dir = temporary();
        let top = Utf8Path::from_path(dir.path()).unwrap();
        let top = top.canonicalize_utf8().unwrap();
        let (root, aside) = (top.join("project"), top.join("aside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir_all(aside.join("home/config/goal")).unwrap();
        Project {
            root,
            aside,
            calls: AtomicU64::new(0),
            _dir: dir,
        }
    }

    /// A project with one goal, active and focused; its id comes second.
    pub fn with_goal(objective: &str) -> (Project, String) {
        let project = Project::new();
        let id = project.set(objective);
        (project, id)
    }

    /// A project under git, set up by `goal init`, with one goal; all of it committed.
    pub fn under_git() -> Project {
        let project = Project::new();
        project.git(&["init", "-q", "-b", "main"]);
        project.run(&["init", "--commits"]).ok();
        project.set("Write docs");
        project.commit();
        project
    }

    /// Commits all there is.
    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "c"]);
    }

    /// Creates a goal, and says its id.
    pub fn set(&self, objective: &str) -> String {
        self.run(&["set", objective]).ok();
        let created = self.events_of_type("goal_created");
        created.last().unwrap()["goalId"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The words with which the user confirms the only proposal, having read it.
    pub fn confirmation(&self) -> Vec<String> {
        let drafts = self.run(&["drafts", "--json"]).ok().data();
        let drafts = drafts["drafts"].as_array().unwrap();
        let mut proposed = drafts.iter().filter(|draft| !draft["proposal"].is_null());
        let draft = proposed.next().unwrap();
        assert!(proposed.next().is_none(), "several proposals wait");
        let text = |name: &str| draft[name].as_str().unwrap().to_owned();
        let words = ["confirm", &text("draftId"), "--expect", &text("revision")];
        words.map(str::to_owned).to_vec()
    }

    /// The user reads the only proposal and confirms it.
    pub fn confirm(&self) -> Ran {
        let words = self.confirmation();
        self.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The user reads what waits on a goal and decides about it: `--accept` or `--leave`.
    pub fn settle(&self, id: &str, decision: &[&str]) -> Ran {
        let listed = self.run(&["settle", id, "--json"]).exits(2).data();
        let expect = listed["expect"].as_str().unwrap();
        self.run(&[&["settle", id, "--expect", expect], decision].concat())
    }

    /// Runs the program as the user and waits for it.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.call(args).run()
    }

    /// Runs the program as an agent: told so, rather than found out.
    pub fn run_as_agent(&self, args: &[&str]) -> Ran {
        self.call(args).env("GOAL_ACTOR", "agent").run()
    }

    /// The data of a command that only reads. It is not counted among the calls, and leaves no saved
    /// state: times and ids of later calls are what they would be without it.
    #[track_caller]
    pub fn look(&self, args: &[&str]) -> Value {
        let args = [args, &["--json", "--no-cache"]].concat();
        let ran = self.pinned(&args, self.calls.load(Ordering::Relaxed)).run();
        assert!(matches!(ran.code, Some(0 | 7)), "{args:?}\n{ran}");
        ran.data()
    }

    /// The user runs `goal trust`. It is not counted among the calls either.
    pub fn accept(&self) {
        let number = self.calls.load(Ordering::Relaxed);
        self.pinned(&["trust"], number).run().ok();
    }

    /// A call to be changed before it is run.
    pub fn call(&self, args: &[&str]) -> Call<'_> {
        // Two processes with the same pins would make the same ids.
        self.pinned(args, self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// The call of this number, from 0, with its clock and its seed.
    fn pinned(&self, args: &[&str], number: u64) -> Call<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_goal"));
        command.args(args).current_dir(&self.root);
        self.hermetic(&mut command);
        let since = SignedDuration::from_secs(number.try_into().unwrap());
        let now = START.parse::<Timestamp>().unwrap() + since;
        command
            .env("GOAL_ACTOR", "user")
            .env("GOAL_TEST", "1")
            .env("GOAL_TEST_CLOCK", format!("{now:.3}"))
            .env("GOAL_TEST_SEED", number.to_string())
            // A run's pauses of seconds are milliseconds.
            .env("GOAL_TEST_HURRY", "1000");
        Call {
            project: self,
            command,
            stdin: None,
        }
    }

    /// Runs git in the project and says what it printed. It must succeed.
    pub fn git(&self, args: &[&str]) -> String {
        let ran = self.try_git(args);
        assert!(ran.success(), "git {args:?}\n{ran}");
        ran.stdout
    }

    /// Runs git in the project.
    pub fn try_git(&self, args: &[&str]) -> Ran {
        let mut command = Command::new("git");
        command.args(args).current_dir(&self.root);
        self.hermetic(&mut command);
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@example.org"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ] {
            command.env(name, value);
        }
        Ran::new(self, &command.output().unwrap())
    }

    /// The user's state directory.
    pub fn state(&self) -> Utf8PathBuf {
        self.aside.join("home/state/goal")
    }

    /// The user's own configuration file.
    pub fn user_config(&self) -> Utf8PathBuf {
        self.aside.join("home/config/goal/config.toml")
    }

    /// A path in the home of the ledger.
    pub fn home(&self, name: &str) -> Utf8PathBuf {
        let in_git = self.root.join(".git/goal");
        match in_git.exists() {
            true => in_git.join(name),
            false => self.goals(name),
        }
    }

    /// Does this as in another clone that has the same commits: what it leaves in the home and in the
    /// user's records is gone afterwards, and only git has it.
    pub fn in_another_clone(&self, act: impl FnOnce()) {
        let own = [self.root.join(".git/goal"), self.state()];
        let kept = own
            .clone()
            .map(|path| Utf8PathBuf::from(format!("{path}.kept")));
        for (path, kept) in own.iter().zip(&kept).filter(|(path, _)| path.exists()) {
            let copied = Command::new("cp")
                .args(["-r", path.as_str(), kept.as_str()])
                .status();
            assert!(copied.unwrap().success());
        }
        act();
        for (path, kept) in own.iter().zip(&kept) {
            fs::remove_dir_all(path).unwrap();
            if kept.exists() {
                fs::rename(kept, path).unwrap();
            }
        }
    }

    /// A path in `.pi/goals`.
    pub fn goals(&self, name: &str) -> Utf8PathBuf {
        self.root.join(".pi/goals").join(name)
    }

    /// Takes the whole environment away and gives back only what a program cannot do without.
    pub fn hermetic(&self, command: &mut Command) {
        let home = self.aside.join("home");
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_DATA_HOME", home.join("data"));
    }
}

/// A temporary directory that lies in no project: whoever sets `TMPDIR` may work in one.
fn temporary() -> TempDir {
    let places = [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into()];
    let is_free = |dir: &&PathBuf| {
        let dir = Utf8Path::from_path(dir).and_then(|dir| dir.canonicalize_utf8().ok());
        dir.is_some_and(|dir| marker(&dir).is_none())
    };
    match places.iter().find(is_free) {
        Some(place) => tempfile::tempdir_in(place).unwrap(),
        None => panic!("each of {places:?} lies in a project, where a test would record"),
    }
}

/// What makes a directory, or one above it, a project's root.
pub fn marker(dir: &Utf8Path) -> Option<Utf8PathBuf> {
    dir.ancestors().find_map(|dir| {
        let (goals, git) = (dir.join(".pi/goals"), dir.join(".git"));
        let is_repository = git.is_file() || git.join("HEAD").symlink_metadata().is_ok();
        let found = [
            goals.exists().then_some(goals),
            is_repository.then_some(git),
        ];
        found.into_iter().flatten().next()
    })
}

/// A call under preparation.
#[derive(Debug)]
pub struct Call<'a> {
    project: &'a Project,
    command: Command,
    stdin: Option<Vec<u8>>,
}

impl Call<'_> {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The working directory; the project's root without it.
    pub fn cwd(mut self, dir: &Utf8Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// What the program reads; nothing without it.
    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = Some(text.into());
        self
    }

    /// Runs it and waits for its end.
    pub fn run(mut self) -> Ran {
        let input = self.stdin.take().unwrap_or_default();
        let project = self.project;
        let mut child = self.spawn();
        // Who does not read its input has its reasons.
        let _unread = child.stdin.take().map(|mut pipe| pipe.write_all(&input));
        Ran::new(project, &child.wait_with_output().unwrap())
    }

    /// Starts it, with pipes all around.
    pub fn spawn(mut self) -> Child {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// The command itself, for a test that needs other descriptors.
    pub fn command(self) -> Command {
        self.command
    }
}
