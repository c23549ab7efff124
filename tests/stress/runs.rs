//! `goal run` killed with kill -9 at random moments, and run again each time: it ends where a run
//! that nobody killed ends, with nothing lost and nothing twice. `GOAL_RUN_KILLS` says how often.

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::oracle::documents_whole;
use crate::support::{Project, Ran, auditor, wait::until};
use crate::{from_environment, say};

/// The longest that a runner lives before it is killed. A whole run takes about as long.
const LIFE: Duration = Duration::from_millis(600);

/// One part of the work an iteration, each on record once it is done. It goes by what it finds, as
/// whoever begins with a fresh mind must.
const AGENT: &str = "cat >/dev/null
for part in a b c; do
  if ! goal log --limit 1000 | grep -q \"added $part\"; then
    grep -q $part code || echo $part >>code
    goal note \"added $part\" --key $part
    break
  fi
done";

fn project() -> (Project, String) {
    let project = Project::new();
    fs::write(project.root.join("code"), "").unwrap();
    let test = "for part in a b c; do grep -q $part code || { echo no $part; exit 1; }; done";
    fs::write(project.root.join("test.sh"), test).unwrap();
    let goal = env!("CARGO_BIN_EXE_goal");
    let agent = project.script("agent", &format!("goal() {{ '{goal}' \"$@\"; }}\n{AGENT}"));
    let auditor = project.script("auditor", auditor::APPROVE);
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n\
         [checks.tests]\ncommand = [\"/bin/sh\", \"test.sh\"]\n\
         [runner]\npauseBetweenCheckpoints = 0\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    ));
    // The check is a script of the project, whoever configured it.
    project.run(&["trust"]).ok();
    project.run(&["set", "x", "--check", "tests"]).ok();
    let id = project.last_event()["goalId"].as_str().unwrap().to_owned();
    (project, id)
}

/// What stands in the end, but for what differs from run to run.
fn outcome(project: &Project, id: &str) -> (String, String, Vec<String>, usize) {
    let notes = project.events_of_type("goal_noted");
    let note = |event: &Value| event["note"].as_str().unwrap().to_owned();
    (
        project.status(id),
        fs::read_to_string(project.root.join("code")).unwrap(),
        notes.iter().map(note).collect(),
        project.events_of_type("goal_completed").len(),
    )
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_where_one_that_is_not_ends() {
    let wanted = from_environment("GOAL_RUN_KILLS", 12);
    let (reference, id) = project();
    reference.run(&["run"]).ok();
    let expected = outcome(&reference, &id);
    assert_eq!((&*expected.0, expected.3), ("complete", 1));
    let mut random = fastrand::Rng::with_seed(7);
    let (mut kills, mut projects) = (0, 0);
    while kills < wanted {
        let (project, id) = project();
        projects += 1;
        while project.status(&id) != "complete" || is_open(&project) {
            let before = project.ledger();
            let mut run = project.call(&["run", &id]).spawn();
            if kills < wanted {
                thread::sleep(LIFE.mul_f64(random.f64()));
                run.kill().unwrap();
            }
            let ran = Ran::new(&project, &run.wait_with_output().unwrap());
            kills += u64::from(ran.signal == Some(9));
            // A runner killed during the audit or right before its last line: the supervisor completes the
            // goal, and the next run only says that the one before stopped.
            let is_over = ran.code == Some(5) && ran.stderr.contains("is complete");
            assert!(ran.signal == Some(9) || ran.success() || is_over, "{ran}");
            assert!(project.ledger().starts_with(&before), "{ran}");
        }
        until("no agent is left", || project.running().is_empty());
        assert_eq!(outcome(&project, &id), expected);
        nothing_twice(&project);
    }
    say(&format!(
        "{kills} runners killed at random in {projects} runs: nothing lost, nothing twice, the \
         same end"
    ));
}

/// Whether a run was begun and not stopped.
fn is_open(project: &Project) -> bool {
    let started = project.events_of_type("run_started").len();
    started > project.events_of_type("run_stopped").len()
}

fn nothing_twice(project: &Project) {
    let once = |name: &str, fields: &[&str]| {
        let mut seen = BTreeSet::new();
        for event in project.events_of_type(name) {
            let identity: Vec<String> = fields.iter().map(|it| event[it].to_string()).collect();
            assert!(seen.insert(identity), "{name} twice: {event}");
        }
        seen.len()
    };
    assert_eq!(once("iteration_started", &["goalId"]), 1);
    assert_eq!(once("iteration_completed", &["goalId"]), 1);
    assert_eq!(once("goal_completed", &["goalId"]), 1);
    once("iteration_validated", &["iterationId", "iteration"]);
    once("iteration_advanced", &["iterationId", "iteration"]);
    let (started, stopped) = (
        once("run_started", &["runId"]),
        once("run_stopped", &["runId"]),
    );
    assert_eq!(started, stopped);
    documents_whole(project, "after the kills");
    assert!(project.verified().is_unbroken());
}
