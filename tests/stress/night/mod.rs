//! A simulated night: `goal run --all` over goals whose scripted agents fail, stall, are at rate limits,
//! ask, lie, edit and commit. Runner and machine are killed again and again, and in the end every goal
//! is where its work says that it is. `GOAL_NIGHT_KILLS` and `GOAL_NIGHT_GOALS` say how much.
//!
//! One second of this test stands for a thousand of the night: the pauses of the runner are as short.

mod scene;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::oracle::documents_whole;
use crate::support::wait::until;
use crate::{from_environment, say};
use scene::{Night, acknowledged};

/// What each kind of agent comes to, however often it is killed.
const KINDS: [(&str, &str); 10] = [
    ("mend", "complete"),
    ("plan", "complete"),
    ("fail", "complete"),
    ("stall", "complete"),
    ("limit", "complete"),
    ("ask", "complete"),
    ("lie", "active"),
    ("flatter", "active"),
    ("endless", "active"),
    ("block", "blocked"),
];

/// How many audits in a row may object to work that did not change, and how many runs of a goal in a row
/// may get nowhere: as both are configured by default.
const OBJECTIONS: usize = 3;
const ATTEMPTS: usize = 3;

/// What stops a run that got nowhere, here.
const NOWHERE: [&str; 4] = [
    "no_progress",
    "repeated_failure",
    "same_objection",
    "max_iterations",
];

#[test]
fn a_night_of_kills_loses_nothing_and_every_goal_is_where_its_work_says() {
    let goals = from_environment("GOAL_NIGHT_GOALS", KINDS.len() as u64);
    let kills = from_environment("GOAL_NIGHT_KILLS", 4);
    let night = Night::of(usize::try_from(goals).unwrap());
    let mut random = fastrand::Rng::with_seed(from_environment("GOAL_NIGHT_SEED", 11));
    let mut killed = 0;
    while killed < kills {
        let life = random.f64();
        // Every other time all processes end at once, as when the machine goes down.
        if !night.run_for(Some(life), killed % 2 == 1) {
            break;
        }
        killed += 1;
    }
    night.run_for(None, false);
    until("no process is left", || night.processes().is_empty());
    states(&night);
    nothing_lost(&night);
    nothing_twice(&night);
    let waited = reported(&night);
    night.project.run(&["verify", "--strict"]).ok();
    documents_whole(&night.project, "after the night");
    say(&format!(
        "a night of {goals} goals, {} of it waits, {killed} times killed: {} turns in {} runs; \
         nothing lost, nothing twice, no process left, every goal where its work says",
        hours(waited),
        count(&night, "iteration_validated"),
        count(&night, "run_started"),
    ));
}

fn hours(seconds: u64) -> String {
    format!("{} h {} min", seconds / 3600, seconds % 3600 / 60)
}

fn count(night: &Night, name: &str) -> usize {
    night.project.events_of_type(name).len()
}

/// Every goal is in the state that its work supports, and liars came no further than they may.
fn states(night: &Night) {
    let audits = fs::read_to_string(night.project.aside.join("audits")).unwrap_or_default();
    let of_goal = |events: &[Value], id: &str| {
        let about = events.iter().filter(|event| event["goalId"] == id);
        about.count()
    };
    let completed = night.project.events_of_type("goal_completed");
    let requested = night.project.events_of_type("completion_requested");
    let started = night.project.events_of_type("run_started");
    let stopped = night.project.events_of_type("run_stopped");
    for (name, id) in &night.goals {
        let kind = name.split('-').nth(1).unwrap();
        let expected = KINDS.iter().find(|(it, _)| *it == kind).unwrap().1;
        assert_eq!(night.project.status(id), expected, "{name}");
        let path = night.project.root.join("work").join(name);
        let work = fs::read_to_string(path).unwrap();
        let is_done = work == "a\nb\nc\n";
        assert_eq!(is_done, expected == "complete", "{name}: {work:?}");
        assert_eq!(of_goal(&completed, id), usize::from(is_done), "{name}");
        let nowhere = stopped.iter().filter(|run| {
            let cause = run["cause"].as_str().unwrap();
            run["goalId"] == id.as_str() && NOWHERE.contains(&cause)
        });
        assert!(nowhere.count() <= ATTEMPTS, "{name}");
        let audited = audits.lines().filter(|line| line == name).count();
        match kind {
            "lie" | "endless" | "block" => {
                assert_eq!((audited, of_goal(&requested, id)), (0, 0), "{name}");
            }
            "flatter" => {
                let fresh = started.iter().filter(|run| run.get("resumes").is_none());
                let runs = fresh.filter(|run| run["goalId"] == id.as_str()).count();
                // An audit that is killed has come to nothing, and is repeated.
                let mut verdicts = night.project.events_of_type("audit_result");
                verdicts.retain(|it| it["verdict"] != "error");
                let verdicts = of_goal(&verdicts, id);
                assert!(
                    verdicts <= OBJECTIONS * runs,
                    "{name}: {verdicts} in {runs} runs"
                );
            }
            _ => assert!(audited >= 1, "{name}"),
        }
    }
}

/// What an agent was told to be on record is there, once.
fn nothing_lost(night: &Night) {
    let mut noted: BTreeMap<String, usize> = BTreeMap::new();
    for event in night.project.events_of_type("goal_noted") {
        *noted
            .entry(event["note"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    for note in acknowledged(&night.project) {
        assert_eq!(noted.get(&note), Some(&1), "{note}");
    }
    assert!(noted.values().all(|times| *times == 1), "{noted:?}");
}

fn nothing_twice(night: &Night) {
    let once = |name: &str, fields: &[&str]| {
        let mut seen = BTreeSet::new();
        for event in night.project.events_of_type(name) {
            let identity: Vec<String> = fields.iter().map(|it| event[it].to_string()).collect();
            assert!(seen.insert(identity), "{name} twice: {event}");
        }
        seen
    };
    once("goal_completed", &["goalId"]);
    once("task_complete", &["goalId", "taskId"]);
    once("iteration_started", &["iterationId"]);
    once("iteration_completed", &["iterationId"]);
    once("iteration_validated", &["iterationId", "iteration"]);
    once("iteration_advanced", &["iterationId", "iteration"]);
    once("question_asked", &["goalId"]);
    let (started, stopped) = (
        once("run_started", &["runId"]),
        once("run_stopped", &["runId"]),
    );
    assert_eq!(started, stopped);
    assert!(night.project.verified().is_unbroken());
}

/// `goal runs` says of every run what the ledger says; how many seconds were waited.
fn reported(night: &Night) -> u64 {
    let report = night.project.run(&["runs", "--json"]).ok().data();
    let runs = report["runs"].as_array().unwrap();
    let started = night.project.events_of_type("run_started");
    let stopped = night.project.events_of_type("run_stopped");
    let validated = night.project.events_of_type("iteration_validated");
    let waits = night.project.events_of_type("run_waiting");
    assert_eq!(runs.len(), started.len());
    let mut told = 0;
    let mut waited = 0;
    for (run, start) in runs.iter().zip(&started) {
        let id = &start["runId"];
        assert_eq!(
            (&run["runId"], &run["goalId"], run["live"].as_bool()),
            (id, &start["goalId"], Some(false))
        );
        let stop = stopped.iter().find(|it| it["runId"] == *id).unwrap();
        assert_eq!(run["cause"], stop["cause"]);
        assert_eq!(
            run["resumes"],
            start.get("resumes").cloned().unwrap_or_default()
        );
        let turns = run["turns"].as_array().unwrap();
        let mine: Vec<&Value> = validated.iter().filter(|it| it["runId"] == *id).collect();
        assert_eq!(turns.len(), mine.len(), "{run}");
        for (turn, event) in turns.iter().zip(mine) {
            assert_eq!(turn["at"], event["at"]);
            assert_eq!(
                turn["promise"],
                event.get("promise").cloned().unwrap_or_default()
            );
        }
        let seconds = |waits: &[&Value]| -> u64 {
            waits.iter().map(|it| it["seconds"].as_u64().unwrap()).sum()
        };
        let of_run: Vec<&Value> = waits.iter().filter(|it| it["runId"] == *id).collect();
        let said: Vec<&Value> = run["waits"].as_array().unwrap().iter().collect();
        assert_eq!(seconds(&said), seconds(&of_run), "{run}");
        told += turns.len();
        waited += seconds(&said);
    }
    assert_eq!(told, validated.len());
    waited
}
