//! `goal wait --on`: whoever asks runs the command, with their own rights, until it succeeds. The ledger does
//! not have the command, so nobody else ever runs it: no hook, no runner, no other machine.

use std::thread;
use std::time::{Duration, Instant};

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::event::GoalWaiting;
use crate::domain::id::GoalId;
use crate::domain::select;
use crate::domain::time::{millis, rfc3339};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::ops::lifecycle::{Wait, wait, waiting};
use crate::ops::transacted::Transacted;
use crate::process::{self, Ending, Invocation, SpawnError};
use crate::workspace::judge::located;
use crate::workspace::programs::is_executable;

/// How long the command rests after it failed.
const EVERY: Duration = Duration::from_secs(30);

/// How often it is looked whether to stop meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// How long one run of the command may take where the wait has no time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Records the wait and runs the command again and again. Once it succeeds the wait is due: the next session,
/// a run and `goal inbox --wait` take the goal up.
///
/// # Errors
/// Those of [`wait`]; the command cannot be started; the wait is over and the command has not succeeded.
pub fn wait_on(call: &Call, asked: &Wait) -> Result<Transacted, Failure> {
    let argv = startable(call, &asked.on)?;
    let begun = Instant::now();
    let now = call.workspace.environment.now_millis();
    let until = waiting(call, asked)?.until.as_deref().and_then(millis);
    let limit = until.map(|until| Duration::from_millis(until.saturating_sub(now).unsigned_abs()));
    let recorded = wait(call, asked)?;
    let id = recorded.goal_id.clone();
    let id = id.ok_or_else(|| ended(&asked.reason))?;
    let since = since(call, &id)?;
    let is_stopped = interrupt::asked()?;
    loop {
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        let invocation = Invocation {
            argv: argv.clone(),
            cwd: call.workspace.environment.cwd.clone(),
            only_end: true,
            deadline: left.unwrap_or(LONGEST),
            ..Invocation::default()
        };
        let finished = process::run(&invocation, &is_stopped).map_err(|error| {
            let hint = "the wait is recorded; the next thing that is done on the goal ends it";
            Failure::usage(error.to_string(), hint)
        })?;
        // Somebody may have gone on meanwhile, and may wait for something else.
        if self::since(call, &id)? != since {
            return Err(ended(&asked.reason));
        }
        if finished.ending == Ending::Exited(0) {
            return come(call, &id, &asked.reason);
        }
        let pause = EVERY / call.workspace.environment.hurry;
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        let pause = left.map_or(pause, |left| pause.min(left));
        let rested = Instant::now();
        while rested.elapsed() < pause && !is_stopped() {
            thread::sleep(LOOK.min(pause));
        }
        if is_stopped() {
            let hint = "the wait is recorded; run the command again to look for its end";
            let message = "stopped before the command succeeded";
            return Err(Failure::new("interrupted", message, hint));
        }
        if limit.is_some_and(|limit| begun.elapsed() >= limit) {
            return Err(ended(&asked.reason));
        }
    }
}

/// The command with the path of its program, where that can be started.
///
/// # Errors
/// It names no program, or one that is not there or cannot be run.
fn startable(call: &Call, on: &[String]) -> Result<Vec<String>, Failure> {
    // As everywhere, what follows `--` is no option.
    let mut argv = match on.split_first() {
        Some((first, rest)) if first == "--" => rest.to_vec(),
        _ => on.to_vec(),
    };
    let hint = "nothing is recorded; give --on a program that can be run, with its arguments";
    let Some(name) = argv.first_mut().filter(|name| !name.is_empty()) else {
        return Err(Failure::usage("--on names no program", hint));
    };
    let environment = &call.workspace.environment;
    let found = located(name, &environment.cwd, environment.search_path.as_deref());
    let found = match found {
        Some(found) if is_executable(found.as_std_path()) => Ok(found),
        Some(_) => Err(SpawnError::NotExecutable {
            program: name.clone(),
        }),
        None => Err(SpawnError::Missing {
            program: name.clone(),
        }),
    };
    let found = found.map_err(|error| Failure::usage(error.to_string(), hint))?;
    *name = found.into_string();
    Ok(argv)
}

/// Since when the goal waits, where it does.
fn since(call: &Call, id: &GoalId) -> Result<Option<String>, Failure> {
    let snapshot = call.read()?;
    let goal = select::by_id(&snapshot.state, id)?;
    Ok(goal.waits_for().map(|wait| wait.at.clone()))
}

/// What was waited for has come, so the wait is due now. The program says so, whatever turn it began in.
fn come(call: &Call, id: &GoalId, reason: &str) -> Result<Transacted, Failure> {
    let now = call.workspace.environment.now_millis();
    let due = GoalWaiting {
        reason: format!("{reason} (it has come)"),
        until: Some(rfc3339(now)),
    };
    let request = call.request(Command::Wait(due)).on(id);
    Ok(request.by(Actor::System).run()?.into())
}

fn ended(reason: &str) -> Failure {
    Failure::new(
        "not_come",
        format!("the wait for `{reason}` is over, and the command has not succeeded"),
        "look why with the command itself",
    )
}
