//! Runs: taken up, let go of, and gone on with.

use super::*;
use crate::domain::event::RunStarted;
use crate::domain::run::RunCommand;
use crate::domain::run::state::{Cause, RunUntil};

pub(super) fn start_run(id: &str) -> Command {
    Command::Run(RunCommand::Start(RunStarted {
        run_id: id.into(),
        until: RunUntil::Goal,
        agent: "an agent".into(),
        max_iterations: None,
        resumes: None,
        head: None,
        dirty: None,
        tree: None,
        worktree: None,
        commit: None,
        plan: None,
    }))
}

fn stop_run(id: &str, cause: Cause) -> Command {
    Command::Run(RunCommand::Stop {
        run_id: id.into(),
        cause,
        detail: None,
        uncommitted: None,
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
    let again = payloads(&project, &start_run("s"));
    match &again[..] {
        [Payload::RunStopped(stopped), Payload::RunStarted(started)] => {
            assert_eq!((&*stopped.run_id, &*stopped.cause), ("r", "crashed"));
            assert_eq!(started.resumes.as_deref(), Some("r"));
        }
        other => panic!("{other:?}"),
    }
    // The runner that was thought dead has nothing more to say.
    let project = project.has(start_run("s"), &runner());
    project.refuses(
        stop_run("r", Cause::LeaseLost),
        &runner(),
        "nothing_changes",
    );
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
