//! `goal wait --on`: whoever asks runs the command, with their own rights, until it succeeds. The ledger does
//! not have the command, so nobody else ever runs it: no hook, no runner, no other machine.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::event::{GoalWaiting, Payload};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::select;
use crate::domain::time::{millis, rfc3339};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::ops::lifecycle::{Wait, record_wait, wait_again};
use crate::ops::transacted::Transacted;
use crate::process::{self, Ending, Finished, Invocation, SpawnError};
use crate::render::text::{one_line, short};
use crate::transaction::Receipt;
use crate::workspace::judge::located;
use crate::workspace::programs::is_executable;

/// How long the command rests after it failed.
const EVERY: Duration = Duration::from_secs(30);

/// How often it is looked whether the wait still stands.
const STANDS: Duration = Duration::from_secs(3);

/// How often it is looked whether to stop while the command rests.
const LOOK: Duration = Duration::from_millis(100);

/// How long one run of the command may take where the wait has no time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How much is kept of what the command writes, in bytes, and how many of its last lines are told.
const OUTPUT: usize = 4 * 1024;
const LAST_LINES: usize = 3;
const LINE: usize = 300;

/// How a wait for a command ended well.
pub enum Waited {
    /// The command succeeded, and the wait is due now.
    Come(Transacted),
    /// The command succeeded, and the wait was over already, since somebody had gone on. Nothing more was
    /// recorded.
    WasOver(Transacted),
    /// The request was answered before, so nothing was run.
    Before(Transacted),
}

/// Records the wait and runs the command again and again. Once it succeeds the wait is due: the next session,
/// a run and `goal inbox --wait` take the goal up. A command that is still running when somebody goes on is
/// ended.
///
/// # Errors
/// Those of [`crate::ops::lifecycle::wait`]; the command cannot be started; the wait is over and the command
/// has not succeeded.
pub fn wait_on(call: &Call, asked: &Wait) -> Result<Waited, Failure> {
    if let Some(recorded) = wait_again(call, asked)? {
        return Ok(Waited::Before(recorded.into()));
    }
    let argv = startable(call, &asked.on)?;
    let begun = Instant::now();
    let now = call.workspace.environment.now_millis();
    let recorded = record_wait(call, asked)?;
    let wait = Standing::of(&recorded.0).filter(|_| !recorded.0.repeated);
    let recorded = Transacted::from(recorded);
    let Some(wait) = wait else {
        return Ok(Waited::Before(recorded));
    };
    let until = wait.until.as_deref().and_then(millis);
    let limit = until.map(|until| Duration::from_millis(until.saturating_sub(now).unsigned_abs()));
    let left = || limit.map(|limit| limit.saturating_sub(begun.elapsed()));
    let hurry = call.workspace.environment.hurry;
    let is_interrupted = interrupt::asked()?;
    let (is_over, looked) = (Cell::new(false), Cell::new(begun));
    let stops = || {
        if looked.get().elapsed() >= STANDS / hurry {
            // Where it cannot be read now, the next look may.
            is_over.set(wait.stands(call).is_ok_and(|stands| !stands));
            looked.set(Instant::now());
        }
        is_interrupted() || is_over.get()
    };
    loop {
        let invocation = Invocation {
            argv: argv.clone(),
            cwd: call.workspace.environment.cwd.clone(),
            env: process::key_agents(),
            stdout_cap: OUTPUT,
            only_end: true,
            stderr_tail: OUTPUT,
            deadline: left().unwrap_or(LONGEST),
            ..Invocation::default()
        };
        let finished = process::run(&invocation, &stops).map_err(|error| {
            let hint = "the wait is recorded; the next thing that is done on the goal ends it";
            Failure::usage(error.to_string(), hint)
        })?;
        if finished.ending == Ending::Exited(0) {
            return Ok(match wait.come(call)? {
                Some(due) => Waited::Come(due),
                None => Waited::WasOver(recorded),
            });
        }
        let pause = EVERY / hurry;
        let pause = left().map_or(pause, |left| pause.min(left));
        let rested = Instant::now();
        while rested.elapsed() < pause && !stops() {
            thread::sleep(LOOK.min(pause));
        }
        if is_interrupted() {
            let hint = "the wait is recorded; wait anew to look for its end";
            let message = "stopped before the command succeeded";
            return Err(Failure::new("interrupted", message, hint));
        }
        if is_over.get() {
            return Err(wait.ended(", since somebody went on", &finished, &invocation));
        }
        if left().is_some_and(|left| left.is_zero()) {
            return Err(wait.ended("", &finished, &invocation));
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

/// A wait that was recorded, which may be over by now.
struct Standing {
    goal: GoalId,
    id: EventId,
    line: LineRef,
    reason: String,
    until: Option<String>,
}

impl Standing {
    fn of(receipt: &Receipt) -> Option<Standing> {
        let mut lines = receipt.events.iter().zip(&receipt.ids).zip(&receipt.lines);
        lines.find_map(|((event, id), line)| match &event.payload {
            Payload::GoalWaiting(waiting) => Some(Standing {
                goal: event.goal_id.clone()?,
                id: *id,
                line: *line,
                reason: waiting.reason.clone(),
                until: waiting.until.clone(),
            }),
            _ => None,
        })
    }

    /// Whether the goal still waits for this: nobody has gone on, nor waits for something else.
    fn stands(&self, call: &Call) -> Result<bool, Failure> {
        let snapshot = call.read()?;
        let goal = select::by_id(&snapshot.state, &self.goal)?;
        let line = snapshot.again(&self.goal, self.line, self.id)?;
        let (Some(_), Some(line)) = (goal.waits_for(), line) else {
            return Ok(false);
        };
        let events = snapshot.events_of(&self.goal, line)?;
        let mut waits = events
            .iter()
            .filter(|(_, event)| matches!(event.payload, Payload::GoalWaiting(_)));
        let latest = waits.next_back();
        Ok(latest.is_some_and(|(latest, _)| *latest == line))
    }

    /// What was waited for has come, so the wait is due now, unless it is over. The program says so, whatever
    /// turn it began in.
    fn come(&self, call: &Call) -> Result<Option<Transacted>, Failure> {
        if !self.stands(call)? {
            return Ok(None);
        }
        let now = call.workspace.environment.now_millis();
        let due = GoalWaiting {
            reason: format!("{} (it has come)", self.reason),
            until: Some(rfc3339(now)),
        };
        let request = call.request(Command::Wait(due)).on(&self.goal);
        Ok(Some(request.by(Actor::System).run()?.into()))
    }

    /// That the wait is over, and how the command ended last.
    fn ended(&self, why: &str, finished: &Finished, invocation: &Invocation) -> Failure {
        let reason = one_line(&self.reason);
        let ending = match finished.ending {
            Ending::Cancelled => "it was ended while it ran".to_owned(),
            ending => ending.said(invocation.deadline),
        };
        let said = match last_lines(&finished.stderr_tail) {
            none if none.is_empty() => last_lines(&finished.stdout),
            some => some,
        };
        let said = match said.is_empty() {
            true => String::new(),
            false => format!("; it wrote last: {said}"),
        };
        let message = format!(
            "the wait for `{reason}` is over{why}, and the command has not succeeded: {ending}{said}"
        );
        Failure::new(
            "not_come",
            message,
            "run the command yourself to see how it stands",
        )
    }
}

/// The last lines of what a command wrote, on one line.
fn last_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<String> = lines.map(|line| short(line.trim(), LINE)).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join(" / ")
}
