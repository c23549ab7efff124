//! The scene of a night: goals, agents, an auditor, a user who answers in the morning; and its end by
//! kill -9.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::KINDS;
use crate::support::wait::until;
use crate::support::{Project, Ran};

/// The longest that a runner lives before it is killed.
const LIFE: Duration = Duration::from_secs(6);

/// How long a turn may take.
const TURN: u32 = 6;

/// Most iterations of a run.
const MOST: &str = "12";

/// A night under way.
pub struct Night {
    pub project: Project,
    /// Name and id of each goal.
    pub goals: Vec<(String, String)>,
}

impl Night {
    /// A project in git with so many goals, of all kinds in turn.
    pub fn of(goals: usize) -> Night {
        let project = Project::new();
        project.git(&["init", "--quiet"]);
        fs::create_dir(project.root.join("work")).unwrap();
        fs::write(project.aside.join("acknowledged"), "").unwrap();
        let goal = env!("CARGO_BIN_EXE_goal");
        let agent = include_str!("agent.sh");
        let agent = project.script("agent", &format!("goal() {{ '{goal}' \"$@\"; }}\n{agent}"));
        let auditor = project.script("auditor", include_str!("auditor.sh"));
        let done = project.script(
            "done",
            "for part in a b c; do grep -qx $part work/$1 || { echo no $part; exit 1; }; done",
        );
        let never = project.script("never", "cat work/$1; exit 1");
        let mut config = format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
             [runner]\npauseBetweenCheckpoints = 0\n\
             [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\ntimeout = {TURN}\n"
        );
        let kinds = KINDS.iter().cycle().map(|(kind, _)| *kind);
        let names = kinds.take(goals).enumerate();
        let names: Vec<(&str, String)> = names
            .map(|(number, kind)| (kind, format!("night-{kind}-{number}")))
            .collect();
        for (kind, name) in &names {
            fs::write(project.root.join("work").join(name), "").unwrap();
            let check = if *kind == "endless" { &never } else { &done };
            config.push_str(&format!(
                "[checks.{name}]\ncommand = [\"/bin/sh\", \"{check}\", \"{name}\"]\n"
            ));
        }
        project.configure(&config);
        project.git(&["add", "."]);
        project.git(&["commit", "--quiet", "--message", "evening"]);
        let goals = names.into_iter().map(|(kind, name)| {
            let checked = ["--check", &name];
            let checks: &[&str] = if kind == "flatter" { &[] } else { &checked };
            project.run(&[&["set", &*name], checks].concat()).ok();
            let created = project.events_of_type("goal_created").pop().unwrap();
            if kind == "plan" {
                let plan = r#"[{"title":"first"},{"title":"second"},{"title":"third"}]"#;
                project.call(&["task", "set", "-"]).stdin(plan).run().ok();
            }
            let id = created["goalId"].as_str().unwrap().to_owned();
            (name, id)
        });
        let goals = goals.collect();
        Night { project, goals }
    }

    /// Works all goals, for this part of the longest life, or to the end; `all` ends every process of
    /// the scene with the runner. Says whether something was killed.
    pub fn run_for(&self, life: Option<f64>, all: bool) -> bool {
        let before = self.project.ledger();
        let run = self
            .project
            .call(&["run", "--all", "--max-iterations", MOST]);
        let run = run.without("GOAL_TEST_CLOCK").without("GOAL_TEST_SEED");
        let mut run = run.spawn();
        let begun = Instant::now();
        let mut is_over = false;
        while !is_over && life.is_none_or(|part| begun.elapsed() < LIFE.mul_f64(part)) {
            thread::sleep(Duration::from_millis(100));
            self.answer();
            is_over = run.try_wait().unwrap().is_some();
        }
        if !is_over {
            run.kill().unwrap();
            if all {
                self.end();
            }
        }
        self.ended(run, &before);
        !is_over
    }

    /// The runner was killed, or has stopped by itself; what stood in the ledger stands there still.
    fn ended(&self, run: Child, before: &[u8]) {
        let ran = Ran::new(&self.project, &run.wait_with_output().unwrap());
        assert!(ran.signal == Some(9) || ran.code == Some(6), "{ran}");
        assert!(self.project.ledger().starts_with(before), "{ran}");
    }

    /// The user answers what is asked.
    fn answer(&self) {
        let open = self.project.run(&["questions", "--json"]).ok().data();
        for question in open["questions"].as_array().unwrap() {
            let id = question["questionId"].as_str().unwrap();
            self.project.run(&["answer", id, "blue"]).ok();
        }
    }

    /// The processes of the scene: those whose home is the scene's.
    pub fn processes(&self) -> Vec<i32> {
        let home = format!("HOME={}", self.project.aside.join("home"));
        let of_scene = |entry: fs::DirEntry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let environment = fs::read(entry.path().join("environ")).ok()?;
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|it| it == home.as_bytes()).then_some(pid)
        };
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter_map(of_scene).collect()
    }

    /// Ends all of them at once, as when the machine goes down.
    fn end(&self) {
        until("the machine is down", || {
            let left = self.processes();
            for pid in &left {
                let pid = Pid::from_raw(*pid).unwrap();
                let _gone = kill_process(pid, Signal::KILL);
            }
            left.is_empty()
        });
    }
}

/// What agents were told to be on record.
pub fn acknowledged(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.aside.join("acknowledged")).unwrap();
    text.lines().map(str::to_owned).collect()
}
