//! Deciding what the runner records of itself: that it took a goal up, and that it let go of it.

use crate::domain::actor::Caller;
use crate::domain::decide::must_be_open;
use crate::domain::event::{GoalFocused, GoalPaused, Payload, RunStarted, RunStopped};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::rejection::Rejection;
use crate::domain::run::liveness::Begun;
use crate::domain::run::state::Cause;
use crate::domain::run::{Over, RunCommand};
use crate::domain::state::State;

/// Decides a command of the runner on `goal`.
pub fn decide(
    state: &State,
    goal: &Goal,
    command: &RunCommand,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    match command {
        RunCommand::Start { started, over } => {
            let mut payloads = start(goal, started, over)?;
            // The project's focus may move while the run goes on.
            let session = caller.session.as_deref();
            let own = session.and_then(|session| state.focus.of_session(session));
            if own != Some(&goal.id) {
                let reason = format!("run {}", started.run_id);
                payloads.push(GoalFocused { reason }.into());
            }
            Ok(payloads)
        }
        RunCommand::Wait(waiting) => {
            must_be_open(goal)?;
            is_under_way(goal, &waiting.run_id)?;
            Ok(vec![waiting.clone().into()])
        }
        RunCommand::Refuse(refused) => {
            must_be_open(goal)?;
            let runs = &goal.runs;
            let latest = runs.refused.as_ref();
            let is_known = latest.is_some_and(|it| it.reason == refused.reason);
            match runs.open.is_some() || is_known {
                true => Err(Rejection::nothing_changes(goal)),
                false => Ok(vec![refused.clone().into()]),
            }
        }
        RunCommand::Stop {
            run_id,
            cause,
            detail,
            uncommitted,
            last,
        } => {
            let stopped = RunStopped {
                detail: detail.clone(),
                uncommitted: uncommitted.clone(),
                last_turn: last.as_ref().map(|it| it.number),
                said: last.as_ref().and_then(|it| it.said.clone()),
                ..stopped(run_id, *cause)
            };
            stop(goal, *cause, stopped)
        }
    }
}

fn start(goal: &Goal, starting: &RunStarted, over: &Over) -> Result<Vec<Payload>, Rejection> {
    must_be_open(goal)?;
    if goal.status != Status::Active {
        return Err(Rejection::NotRunnable {
            id: goal.id.clone(),
            status: goal.status,
        });
    }
    let left = goal.runs.open.as_ref();
    if let Some(run) = left.filter(|run| !over.has(run)) {
        return Err(Rejection::RunElsewhere {
            id: goal.id.clone(),
            heard: Begun::of(run).heard(),
        });
    }
    let crashed = left.map(|run| stopped(&run.id, Cause::Crashed).into());
    let started = RunStarted {
        resumes: left.map(|run| run.id.clone()),
        // The transaction fills in how the work tree stands.
        head: None,
        dirty: None,
        tree: None,
        ..starting.clone()
    };
    Ok(crashed.into_iter().chain([started.into()]).collect())
}

fn is_under_way(goal: &Goal, run_id: &str) -> Result<(), Rejection> {
    let open = goal.runs.open.as_ref();
    match open.is_some_and(|run| run.id == run_id) {
        true => Ok(()),
        false => Err(Rejection::nothing_changes(goal)),
    }
}

/// A run that is not open any more was taken up by another runner: there is nothing left to say.
fn stop(goal: &Goal, cause: Cause, stopped: RunStopped) -> Result<Vec<Payload>, Rejection> {
    is_under_way(goal, &stopped.run_id)?;
    let pause = (cause.pauses() && goal.status == Status::Active).then(|| {
        let reason = match &stopped.detail {
            Some(detail) => format!("{cause}: {detail}"),
            None => cause.to_string(),
        };
        let paused = GoalPaused {
            suggested_action: Some(format!("`goal run {}` goes on with it", goal.id)),
            source: Some("runner".into()),
            ..GoalPaused::because(reason)
        };
        paused.into()
    });
    Ok(pause.into_iter().chain([stopped.into()]).collect())
}

fn stopped(run_id: &str, cause: Cause) -> RunStopped {
    RunStopped {
        run_id: run_id.to_owned(),
        cause: cause.name().to_owned(),
        detail: None,
        // The transaction fills in how the work tree stands.
        head: None,
        dirty: None,
        uncommitted: None,
        last_turn: None,
        said: None,
    }
}
