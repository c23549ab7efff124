//! `goal run` on two machines whose clocks differ by two hours: the server says who works a goal.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::server::{Server, shared};
use crate::support::{clock, goal, until};

/// A machine: a project and a home of its own.
struct Machine {
    dir: TempDir,
    goal: PathBuf,
    url: String,
    offset: &'static str,
}

impl Machine {
    /// One whose agent is this script of `/bin/sh`.
    fn new(server: &Server, offset: &'static str, agent: &str) -> Option<Machine> {
        let machine = Machine {
            dir: tempfile::tempdir().unwrap(),
            goal: goal()?,
            url: server.url("writer"),
            offset,
        };
        let config = machine.path("config/goal");
        fs::create_dir_all(&config).unwrap();
        fs::create_dir_all(machine.path("project")).unwrap();
        let script = machine.path("agent");
        let goal = machine.goal.display();
        let agent = format!(
            "goal() {{ '{goal}' \"$@\"; }}\ncd '{}'\n{agent}",
            machine.root()
        );
        fs::write(&script, agent).unwrap();
        let helper = env!("CARGO_BIN_EXE_goal-store-postgres");
        let config_file = format!(
            "[store]\ncommand = [\"{helper}\"]\n\
             [auditor]\ncommand = [\"/bin/sh\", \"-c\", \"cat >/dev/null; echo '<approved/>'\"]\n\
             [runner.agent]\ncommand = [\"/bin/sh\", \"{}\"]\n",
            script.display()
        );
        fs::write(config.join("config.toml"), config_file).unwrap();
        Some(machine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn root(&self) -> String {
        self.path("project").display().to_string()
    }

    /// Starts the program. Its runner looks at the store all the time.
    fn start(&self, args: &[&str]) -> Child {
        self.command(args, "1000").spawn().unwrap()
    }

    /// The program, whose runner's pauses are shorter by this factor.
    fn command(&self, args: &[&str], hurry: &str) -> Command {
        let mut command = Command::new(&self.goal);
        command
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("GOAL_STORE_POSTGRES", &self.url)
            .env("GOAL_ACTOR", "user")
            .env("GOAL_TEST", "1")
            .env("GOAL_TEST_HURRY", hurry)
            .envs(clock(self.offset))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn ran(&self, args: &[&str], code: i32) -> Output {
        exits(self.start(args), code)
    }

    fn ledger(&self) -> String {
        let path = self.path("project/.pi/goals/goal_events.jsonl");
        fs::read_to_string(path).unwrap_or_default()
    }

    /// Lets what the other machine seals count here.
    fn accepts(&self, other: &Machine) {
        let shown = other.ran(&["trust", "--show", "--json"], 0);
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let key = shown["data"]["ownKey"].as_str().unwrap();
        self.ran(&["trust", "--accept-key", key, "--as", "the other"], 0);
    }

    fn goal_id(&self) -> String {
        let created = self.ledger();
        let mut events = created
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let created: Value = events
            .find(|it: &Value| it["type"] == "goal_created")
            .unwrap();
        created["goalId"].as_str().unwrap().to_owned()
    }
}

fn exits(child: Child, code: i32) -> Output {
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(code), "{said}");
    done
}

#[test]
fn one_machine_runs_a_goal_and_a_suspended_one_appends_nothing() {
    let Some(server) = shared() else { return };
    let early = "goal note early; touch ../at-work; while [ ! -e ../go ]; do sleep 0.02; done
        goal note late 2>../said; echo $? >../code.new; mv ../code.new ../code";
    let Some(one) = Machine::new(server, "-1h", early) else {
        return;
    };
    let Some(other) = Machine::new(server, "+1h", "goal note other") else {
        return;
    };
    one.ran(&["set", "Write docs"], 0);
    one.ran(&["store", "init", "runs/two"], 0);
    other.ran(&["store", "pull", "runs/two"], 0);
    // The goal is of another machine: the gate, and so a run, asks whose key that is.
    other.accepts(&one);
    let id = one.goal_id();
    // When it is suspended it is not just renewing its lease, and has no lock.
    let run = one.command(&["run"], "1").spawn().unwrap();
    until("the agent works", || {
        one.path("at-work").exists().then_some(())
    });
    // By its own clock the lease would have been over for two hours.
    let held = other.ran(&["run"], 4);
    let said = String::from_utf8_lossy(&held.stderr).into_owned();
    assert!(said.contains("is leased to run-"), "{said}");

    let pid = Pid::from_child(&run);
    kill_process(pid, Signal::STOP).unwrap();
    let lapse = format!(
        "UPDATE goal_store.lease SET ends = clock_timestamp() - interval '1 second' WHERE goal = '{id}'"
    );
    server.sql(&lapse);
    other.ran(&["run", "--max-iterations", "1"], 6);
    assert!(other.ledger().contains("\"resumes\""), "{}", other.ledger());
    fs::write(one.path("go"), "").unwrap();
    until("the agent was refused", || {
        one.path("code").exists().then_some(())
    });
    assert_eq!(fs::read_to_string(one.path("code")).unwrap(), "4\n");
    kill_process(pid, Signal::CONT).unwrap();
    exits(run, 4);
    let before = other.ledger();
    one.accepts(&other);
    for machine in [&one, &other] {
        machine.ran(&["store", "pull"], 0);
        assert_eq!(machine.ledger(), before);
        machine.ran(&["verify"], 0);
    }
    assert!(!before.contains("\"late\""), "{before}");
    assert!(
        before.contains("\"early\"") && before.contains("\"other\""),
        "{before}"
    );
}

#[test]
fn many_machines_share_the_goals_of_a_ledger() {
    let Some(server) = shared() else { return };
    let agent = "goal note done; echo '<promise>COMPLETE</promise>'";
    let machines = ["-1h", "+0", "+1h"].map(|offset| Machine::new(server, offset, agent));
    let [Some(one), Some(two), Some(three)] = machines else {
        return;
    };
    for number in 0..6 {
        one.ran(&["set", &format!("Write page {number}")], 0);
    }
    one.ran(&["store", "init", "runs/shared"], 0);
    let key = one.path(".local/state/goal/key");
    for machine in [&two, &three] {
        machine.ran(&["store", "pull", "runs/shared"], 0);
        let state = machine.path(".local/state/goal");
        fs::create_dir_all(&state).unwrap();
        fs::copy(&key, state.join("key")).unwrap();
    }
    let all = [&one, &two, &three];
    let runs = all.map(|machine| machine.start(&["run", "--all"]));
    for run in runs {
        exits(run, 0);
    }
    one.ran(&["store", "pull"], 0);
    one.ran(&["verify"], 0);
    let ledger = one.ledger();
    let count = |what: &str| ledger.matches(&format!("\"type\":\"{what}\"")).count();
    assert_eq!(count("goal_completed"), 6, "{ledger}");
    // No goal was worked twice.
    assert_eq!(count("iteration_started"), 6, "{ledger}");
    assert_eq!(count("run_started"), 6, "{ledger}");
}
