//! A run that is under way on one machine, as the others see it: they know that somebody runs the goal,
//! and nobody begins a second run of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::Clones;
use crate::run::{DONE, configure, found};
use crate::support::project::Call;
use crate::support::{Project, Ran, auditor};

const UNTIL_GO: &str = "while [ ! -e \"$here/go\" ]; do sleep 0.02; done";

/// Two machines of different keys, each with a clone.
struct Machines {
    /// That of the first clone, where a run is under way.
    clones: Clones,
    there: Project,
    run: Child,
    /// When the run was last heard of.
    heard: Timestamp,
}

impl Machines {
    /// The run has begun its first turn, and both machines know of it.
    fn new(agent: &str) -> Machines {
        let clones = Clones::new(1);
        let there = another(&clones);
        configure(&clones.project, auditor::APPROVE, agent, "");
        let run = clones.project.call(&["run"]).spawn();
        let begun = || {
            let lines = super::lines(&clones.clones[0]);
            let mut lines = lines.iter();
            lines.find(|it| it.contains("early")).cloned()
        };
        found(begun);
        clones.at(0, &["sync"]).ok();
        later(&there, &["sync"], Timestamp::now()).run().ok();
        let lines = super::lines(&there.root);
        let lines = lines.iter().map(|it| serde_json::from_str(it).unwrap());
        let of_run = lines.filter(|it: &Value| {
            let session = it["session"].as_str();
            session.is_some_and(|it| it.starts_with("run-"))
        });
        let heard = of_run.map(|it| it["at"].as_str().unwrap().parse().unwrap());
        Machines {
            clones,
            run,
            heard: heard.max().unwrap(),
            there,
        }
    }

    /// A call on the second machine, three minutes later. What it draws is not what the first one drew.
    fn at(&self, args: &[&str]) -> Call<'_> {
        later(
            &self.there,
            args,
            self.heard + SignedDuration::from_secs(200),
        )
    }

    fn seen(&self, args: &[&str]) -> String {
        self.at(args).run().ok().stdout
    }

    fn data(&self, args: &[&str]) -> Value {
        let args = [args, &["--json"]].concat();
        self.at(&args).run().ok().data()
    }

    /// The run goes on to its end, and nothing disturbed it.
    fn ends_well(self) {
        self.clones.project.go();
        let project = &self.clones.project;
        let ran = Ran::new(project, &self.run.wait_with_output().unwrap()).ok();
        assert!(ran.stdout.contains("complete"), "{ran}");
        let causes = stops(
            &super::lines(&self.clones.clones[0])
                .into_iter()
                .collect::<Vec<_>>(),
        );
        assert_eq!(causes, ["complete"]);
    }
}

/// Another machine with a clone of the repository.
fn another(clones: &Clones) -> Project {
    let there = Project::new();
    let key = there.state().join("key");
    fs::create_dir_all(there.state()).unwrap();
    fs::write(&key, [9; 32]).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    there.git(&["clone", "-q", clones.remote.as_str(), "."]);
    configure(&there, auditor::APPROVE, DONE, "");
    there
}

fn later<'a>(there: &'a Project, args: &[&str], now: Timestamp) -> Call<'a> {
    let call = there.call(args).env("GOAL_TEST_SEED", "700700");
    call.env("GOAL_TEST_CLOCK", &format!("{now:.3}"))
}

fn stops(lines: &[String]) -> Vec<String> {
    let lines = lines.iter().map(|it| serde_json::from_str(it).unwrap());
    let stopped = lines.filter(|it: &Value| it["type"] == "run_stopped");
    stopped
        .map(|it| it["cause"].as_str().unwrap().to_owned())
        .collect()
}

/// This machine's name.
fn name() -> String {
    let ran = Command::new("uname").arg("-n").output().unwrap();
    let name = String::from_utf8(ran.stdout).unwrap();
    name.trim().to_owned()
}

#[test]
fn another_machine_says_where_it_runs_and_begins_no_second_one() {
    let machines = Machines::new(&format!("goal note early; {UNTIL_GO}; {DONE}"));
    let on = format!("running on {}, last heard 3 minutes ago", name());
    for args in [
        &["status"][..],
        &["show"],
        &["list"],
        &["runs"],
        &["runs", "--live"],
    ] {
        let seen = machines.seen(args);
        assert!(seen.contains(&on), "{args:?}: {seen}");
        assert!(!seen.contains("died"), "{args:?}: {seen}");
    }
    let inbox = machines.data(&["inbox"]);
    let kinds: Vec<&Value> = inbox["needs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["kind"])
        .collect();
    assert!(!kinds.iter().any(|it| **it == "run_stopped"), "{inbox}");
    let report = machines.seen(&["report"]);
    assert!(!report.contains("died"), "{report}");

    // In JSON there is the time and no age.
    let shown = machines.data(&["show"])["goal"]["run"].clone();
    assert_eq!(shown["live"], false);
    assert_eq!(shown["runningOn"]["machine"], name());
    let heard = shown["runningOn"]["lastHeard"].as_str().unwrap();
    assert_eq!(heard, format!("{:.3}", machines.heard));
    for args in [&["runs"][..], &["report"]] {
        let data = machines.data(args);
        let run = match args {
            ["runs"] => &data["runs"][0],
            _ => &data["goals"][0]["runs"][0],
        };
        assert_eq!(run["runningOn"]["lastHeard"], heard, "{args:?}: {data}");
        assert_eq!(run["live"], false);
    }

    let before = super::lines(&machines.there.root);
    let refused = machines.at(&["run", "--json"]).run().exits(4);
    assert_eq!(refused.error_code(), "run_elsewhere", "{refused}");
    let message = refused.json()["error"].to_string();
    for part in [&name(), heard, "--take-over"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // Among all goals it is one that somebody else works.
    let all = machines.at(&["run", "--all"]).run().ok();
    let said = format!("{all}");
    assert!(said.contains(&format!("running on {}", name())), "{said}");
    assert!(said.contains("No goal could be run"), "{said}");
    assert_eq!(super::lines(&machines.there.root), before);

    // No session that has worked on the goal is driven on beside the run, until that was silent for long.
    let focus = ["focus", "--goal", &machines.clones.id, "--session", "s1"];
    machines.seen(&focus);
    let status = ["status", "--json", "--session", "s1"];
    let hold = |call: Call<'_>| call.run().ok().data()["hold"].clone();
    assert_eq!(hold(machines.at(&status)), "another");
    let tomorrow = machines.at(&status);
    let next = machines.heard + SignedDuration::from_hours(24);
    let tomorrow = tomorrow.env("GOAL_TEST_CLOCK", &format!("{next:.3}"));
    assert_eq!(hold(tomorrow), "own");
    machines.seen(&["sync"]);
    machines.clones.at(0, &["sync"]).ok();
    assert_eq!(
        machines
            .clones
            .at(0, &["runs", "--live", "--json"])
            .ok()
            .data()["runs"][0]["live"],
        true
    );
    machines.ends_well();
}

#[test]
fn the_user_takes_over_the_run_of_a_machine_that_is_dead() {
    let mut machines = Machines::new("goal note early; sleep 600");
    machines.run.kill().unwrap();
    machines.run.wait().unwrap();
    // On its own machine everybody sees that it is dead.
    let here = machines.clones.at(0, &["status"]).ok().stdout;
    assert!(here.contains("its runner died, and `goal run`"), "{here}");
    let agent = machines
        .at(&["run", "--take-over"])
        .env("GOAL_ACTOR", "agent");
    let refused = agent.run().exits(5);
    assert!(refused.stderr.contains("user"), "{refused}");
    machines.at(&["run", "--all", "--take-over"]).run().exits(2);
    // The goal was created with another machine's key: the gate would refuse it.
    let unproven = machines.at(&["run", "--take-over", "--json"]).run();
    assert_eq!(unproven.exits(5).error_code(), "contract_unproven");
    let id = machines.data(&["list"])["goals"][0]["goalId"].clone();
    let id = id.as_str().unwrap();
    let shown = machines.at(&["settle", id]).run().stdout;
    let expect = shown.split("--expect ").nth(1).unwrap();
    let expect = expect.split_whitespace().next().unwrap();
    let settle = ["settle", id, "--accept", "--expect", expect];
    machines.at(&settle).run().ok();
    machines
        .at(&["run", "--take-over", "--max-iterations", "1"])
        .run();
    let lines: Vec<String> = fs::read_to_string(super::ledger(&machines.there.root))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    assert_eq!(stops(&lines)[0], "crashed");
    let started: Vec<Value> = lines
        .iter()
        .map(|it| serde_json::from_str(it).unwrap())
        .filter(|it: &Value| it["type"] == "run_started")
        .collect();
    assert_eq!(started.len(), 2);
    assert_eq!(started[1]["resumes"], started[0]["runId"]);
    assert_eq!(started[0]["machine"], name());
    assert_ne!(started[0]["machineKey"], started[1]["machineKey"]);
    assert_eq!(started[0]["term"], 120);
    machines.seen(&["sync"]);
    machines.clones.at(0, &["sync"]).ok();
    // What this machine's lease file says is about the run before.
    let here = machines.clones.at(0, &["status"]).ok().stdout;
    assert!(!here.contains("its runner died"), "{here}");
}

/// Two clones of one user on one machine have the same key and the same name, and each its own leases.
#[test]
fn another_clone_on_the_same_machine_sees_whether_the_process_lives() {
    let clones = Clones::new(2);
    configure(
        &clones.project,
        auditor::APPROVE,
        &format!("goal note early; {UNTIL_GO}; {DONE}"),
        "",
    );
    let mut run = clones.project.call(&["run"]).spawn();
    found(|| {
        super::lines(&clones.clones[0])
            .iter()
            .find(|it| it.contains("early"))
            .cloned()
    });
    clones.at(0, &["sync"]).ok();
    clones.at(1, &["sync"]).ok();
    let seen = |args: &[&str]| clones.at(1, args).ok().stdout;
    assert!(
        seen(&["status"]).contains("running on"),
        "{}",
        seen(&["status"])
    );
    assert_eq!(
        clones.at(1, &["run", "--json"]).exits(4).error_code(),
        "run_elsewhere"
    );
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(
        seen(&["status"]).contains("its runner died"),
        "{}",
        seen(&["status"])
    );
    assert!(
        seen(&["inbox"]).contains("its run stopped"),
        "{}",
        seen(&["inbox"])
    );
    clones.project.go();
    clones.at(1, &["run"]).ok();
}
