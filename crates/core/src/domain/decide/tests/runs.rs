//! Runs: taken up, let go of, and gone on with.

use super::*;
use crate::domain::event::RunStarted;
use crate::domain::run::state::{Cause, RunUntil};
use crate::domain::run::{Over, RunCommand};

pub(super) fn start_run(id: &str) -> Command {
    start_over(id, Over::Run(None))
}

fn start_over(id: &str, over: Over) -> Command {
    let started = RunStarted {
        run_id: id.into(),
        until: RunUntil::Goal,
        agent: "an agent".into(),
        max_iterations: None,
        resumes: None,
        machine: Some("desk".into()),
        machine_key: None,
        pid: None,
        term: None,
        head: None,
        dirty: None,
        tree: None,
        worktree: None,
        commit: None,
        plan: None,
        deadline: None,
    };
    Command::Run(RunCommand::Start { started, over })
}

fn stop_run(id: &str, cause: Cause) -> Command {
    Command::Run(RunCommand::Stop {
        run_id: id.into(),
        cause,
        detail: None,
        uncommitted: None,
        last: None,
    })
}

fn runner() -> Caller {
    Caller {
        session: Some("run".into()),
        ..system()
    }
}

/// What is recorded of the runs, in order.
fn payloads(project: &Project, command: &Command) -> Vec<Payload> {
    let decided = project.decide_on(None, command, &runner()).unwrap();
    decided.into_iter().map(|it| it.payload).collect()
}

#[test]
fn the_session_of_a_run_is_focused_once() {
    let names = ["run_started", "goal_focused"];
    let project = one_goal().accepts(start_run("r"), &runner(), &names);
    let project = project.accepts(
        stop_run("r", Cause::NoProgress),
        &runner(),
        &["run_stopped"],
    );
    project.accepts(start_run("s"), &runner(), &["run_started"]);
}

#[test]
fn a_run_that_nobody_stopped_is_gone_on_with() {
    let project = one_goal().has(start_run("r"), &runner());
    let over = Over::Run(Some("r".into()));
    let again = payloads(&project, &start_over("s", over.clone()));
    match &again[..] {
        [Payload::RunStopped(stopped), Payload::RunStarted(started)] => {
            assert_eq!((&*stopped.run_id, &*stopped.cause), ("r", "crashed"));
            assert_eq!(started.resumes.as_deref(), Some("r"));
        }
        other => panic!("{other:?}"),
    }
    // The runner that was thought dead has nothing more to say.
    let project = project.has(start_over("s", over), &runner());
    project.refuses(
        stop_run("r", Cause::LeaseLost),
        &runner(),
        "nothing_changes",
    );
}

#[test]
fn only_of_a_run_that_was_found_dead_it_is_said_that_it_crashed() {
    let project = one_goal().has(start_run("r"), &runner());
    for over in [Over::Run(None), Over::Run(Some("q".into()))] {
        let start = start_over("s", over);
        let refused = project.decide_on(None, &start, &runner()).unwrap_err();
        assert_eq!(refused.code(), "run_elsewhere");
        assert!(refused.to_string().contains("running on desk, last heard "));
    }
    let names = ["run_stopped", "run_started"];
    let began = project.accepts(start_over("s", Over::Any), &runner(), &names);
    // One that was found dead has got an end meanwhile.
    let stopped = began.has(stop_run("s", Cause::NoProgress), &runner());
    let start = start_over("t", Over::Run(Some("s".into())));
    stopped.accepts(start, &runner(), &["run_started"]);
}

#[test]
fn some_stops_pause_the_goal_in_the_same_write() {
    let project = one_goal().has(start_run("r"), &runner());
    for cause in [Cause::Interrupted, Cause::UserPrompted, Cause::Budget] {
        let names = ["goal_paused", "run_stopped"];
        let stopped = project
            .clone()
            .accepts(stop_run("r", cause), &runner(), &names);
        stopped.is("a", Status::Paused);
    }
    let paused = project.clone().has(pause(), &user());
    paused.accepts(
        stop_run("r", Cause::Interrupted),
        &runner(),
        &["run_stopped"],
    );
    for cause in [Cause::NoProgress, Cause::LeaseLost, Cause::Error] {
        let stopped = project.clone();
        let stopped = stopped.accepts(stop_run("r", cause), &runner(), &["run_stopped"]);
        stopped.is("a", Status::Active);
    }
}

#[test]
fn a_run_stops_after_the_goals_end_and_begins_only_while_it_is_active() {
    let ended = one_goal()
        .has(start_run("r"), &runner())
        .has(abort(), &user());
    let stop = stop_run("r", Cause::Ended);
    let named = ended.decide_on(Some("a"), &stop, &runner()).unwrap();
    assert_eq!(named.len(), 1);
    let begun = ended.decide_on(Some("a"), &start_run("s"), &runner());
    assert_eq!(begun.unwrap_err().code(), "goal_closed");
    let paused = one_goal().has(pause(), &user());
    paused.refuses(start_run("r"), &runner(), "not_runnable");
    one_goal().refuses(start_run("r"), &agent(), "human_owned");
}
