//! `complete` killed at every stage, its caller, its supervisor, or both, asked once or twice at
//! once. What holds a stage open is a file that a script waits for, or the ledger's lock, which the
//! test holds; never a sleep.

use std::fs;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use crate::oracle::{audit_is_over, documents_whole, projected, whole};
use crate::say;
use crate::support::lock::Held;
use crate::support::{Project, Ran, wait::until};

/// Where an audit stands when it meets the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The caller holds the audit lock and waits for the ledger's, to append the request.
    Request,
    /// A check runs.
    Check,
    /// The checks are over; the supervisor waits for the ledger, to append `audit_started`.
    Start,
    /// The auditor thinks.
    Auditor,
    /// The auditor has approved, and has not ended yet.
    Approved,
    /// The auditor has ended; the supervisor waits for the ledger, to append the result.
    Record,
}

const STAGES: [Stage; 6] = [
    Stage::Request,
    Stage::Check,
    Stage::Start,
    Stage::Auditor,
    Stage::Approved,
    Stage::Record,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Caller,
    Supervisor,
    Both,
}

/// A script that says which process started it, and goes through these stages.
fn script(stages: [&str; 2], last: &str) -> String {
    let stop = |stage: &str| {
        format!(
            "echo >\"$here/at-{stage}\"; while [ ! -e \"$here/leave-{stage}\" ]; do sleep 0.01; \
             done\n"
        )
    };
    let [first, second] = stages.map(|stage| {
        if stage.is_empty() {
            String::new()
        } else {
            stop(stage)
        }
    });
    let approve = if second.is_empty() {
        ""
    } else {
        "echo '<approved/>'\n"
    };
    format!("echo $PPID >\"$here/supervisor\"\n{first}{approve}{second}{last}\n")
}

fn project() -> (Project, String) {
    let project = Project::new();
    project.run(&["set", "x", "--check", "lint"]).ok();
    let id = project.last_event()["goalId"].as_str().unwrap().to_owned();
    project.auditor(&script(["auditor", "approved"], ": over"));
    let lint = project.script("lint", &script(["check", ""], "exit 0"));
    let config = fs::read_to_string(project.user_config()).unwrap();
    project.configure(&format!(
        "{config}[checks.lint]\ncommand = [\"/bin/sh\", \"{lint}\"]\n"
    ));
    (project, id)
}

fn reached(project: &Project, stage: &str) {
    until(stage, || project.aside.join(format!("at-{stage}")).exists());
}

fn leave(project: &Project, stage: &str) {
    fs::write(project.aside.join(format!("leave-{stage}")), "").unwrap();
}

fn lock(project: &Project) -> Held {
    let mut held = None;
    until("the ledger is free", || {
        held = Held::at(&project.goals(""));
        held.is_some()
    });
    held.unwrap()
}

/// Brings the audit to this stage; what is held to keep it there.
fn advance(
    project: &Project,
    id: &str,
    callers: usize,
    stage: Stage,
) -> (Vec<Child>, Option<Held>) {
    let mut held = (stage == Stage::Request).then(|| lock(project));
    let call = || {
        let args = ["complete", "--json", "--lock-timeout", "60"];
        project.call(&args).spawn()
    };
    let children = (0..callers).map(|_| call()).collect();
    if stage == Stage::Request {
        let path = project.goals(".locks").join(format!("{id}.audit"));
        until("the audit lock is taken", || path.exists());
        return (children, held);
    }
    reached(project, "check");
    for (at, name, next) in [
        (Stage::Check, "check", Stage::Start),
        (Stage::Auditor, "auditor", Stage::Approved),
        (Stage::Approved, "approved", Stage::Record),
    ] {
        reached(project, name);
        if stage == at {
            break;
        }
        if stage == next && next != Stage::Approved {
            held = Some(lock(project));
        }
        leave(project, name);
        if held.is_some() {
            until("the script has ended", || project.running().is_empty());
            break;
        }
    }
    (children, held)
}

fn kill_supervisor(project: &Project) {
    let pid = fs::read_to_string(project.aside.join("supervisor")).unwrap();
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

/// Lets everything go on that was stopped, now and later.
fn go_on(project: &Project, held: Option<Held>) {
    for stage in ["check", "auditor", "approved"] {
        leave(project, stage);
    }
    drop(held);
}

/// Kills, lets the rest go on, asks again: the goal is complete once, by an audit that was whole.
fn survives(stage: Stage, victim: Victim, callers: usize) {
    let context = format!("{victim:?} killed at {stage:?}, asked by {callers}");
    let (project, id) = project();
    let before = project.ledger();
    let (mut children, held) = advance(&project, &id, callers, stage);
    if victim != Victim::Supervisor {
        for child in &mut children {
            child.kill().unwrap();
        }
    }
    if victim != Victim::Caller {
        kill_supervisor(&project);
    }
    whole(&project, &before, &context);
    assert_eq!(project.status(&id), "active", "{context}");
    let after = project.ledger();
    go_on(&project, held);
    for child in children {
        let ran = Ran::new(&project, &child.wait_with_output().unwrap());
        let expected = match victim {
            Victim::Supervisor if callers == 1 => ran.code == Some(6),
            // Of two, one may have come too late to join, and have audited anew.
            Victim::Supervisor => [Some(6), Some(0)].contains(&ran.code),
            _ => ran.signal == Some(9),
        };
        assert!(expected, "{context}\n{ran}");
    }
    if victim != Victim::Caller {
        // While a killed one is not gone, asking again joins its audit and learns that it ended.
        audit_is_over(&project);
    }
    let ran = project.run(&["complete", "--json"]);
    assert!(ran.success(), "{context}\n{ran}");
    whole(&project, &after, &context);
    completed_once(&project, &id, stage, victim, &context);
    project.run(&["set", "other"]).ok();
    projected(&project, &context);
    documents_whole(&project, &context);
    until("nothing is left running", || project.running().is_empty());
}

fn completed_once(project: &Project, id: &str, stage: Stage, victim: Victim, context: &str) {
    assert_eq!(project.status(id), "complete", "{context}");
    assert_eq!(
        project.events_of_type("goal_completed").len(),
        1,
        "{context}"
    );
    let results = project.events_of_type("audit_result");
    let verdicts: Vec<_> = results
        .iter()
        .map(|e| e["verdict"].as_str().unwrap())
        .collect();
    // A killed caller leaves its audit running; a request that was never made leaves nothing.
    let interrupted = victim != Victim::Caller && stage != Stage::Request;
    let expected: &[&str] = if interrupted {
        &["error", "approved"]
    } else {
        &["approved"]
    };
    assert_eq!(verdicts, expected, "{context}");
    if interrupted {
        assert_eq!(results[0]["cause"], "interrupted", "{context}");
    }
}

#[test]
fn complete_killed_at_every_stage() {
    let mut tried = 0;
    for callers in [1, 2] {
        for stage in STAGES {
            for victim in [Victim::Caller, Victim::Supervisor, Victim::Both] {
                // Before the request there is no supervisor.
                if stage > Stage::Request || victim == Victim::Caller {
                    survives(stage, victim, callers);
                    tried += 1;
                }
            }
        }
    }
    say(&format!(
        "complete: killed at {tried} stages, by one caller and by two at once"
    ));
}
