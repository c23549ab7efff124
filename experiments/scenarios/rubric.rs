//! Judging a case by what it left: events, statuses, files, replies; never by exact words.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::case::{Case, Expectation, Look};
use crate::play::Seen;
use crate::stage::{Actor, Ran, Stage};

/// What does not hold, in words; nothing when all does.
pub fn judge(case: &Case, stage: &Stage, seen: &Seen) -> Result<Vec<String>> {
    let events = events(stage)?;
    let mut failed = Vec::new();
    for expectation in &case.expectations {
        let found = holds(expectation, stage, seen, &events)?;
        let on_purpose = expectation.broken_by_script && stage.agent().is_none();
        match found {
            Err(_) if on_purpose => {}
            Ok(()) if on_purpose => failed.push(format!(
                "{}: the script breaks it, and the rubric does not notice",
                expectation.that
            )),
            Ok(()) => {}
            Err(instead) => failed.push(format!("{}: {instead}", expectation.that)),
        }
    }
    Ok(failed)
}

/// Whether it holds; else what was found instead.
fn holds(
    expectation: &Expectation,
    stage: &Stage,
    seen: &Seen,
    events: &[Event],
) -> Result<Result<(), String>> {
    Ok(match &expectation.look {
        Look::Events {
            kind,
            with,
            at_least,
            at_most,
        } => {
            let fits = |event: &&Event| {
                event.kind() == kind
                    && with
                        .iter()
                        .all(|(key, value)| event.value.get(key) == Some(value))
            };
            let count = events.iter().filter(fits).count();
            let fits = count >= *at_least && at_most.is_none_or(|most| count <= most);
            unless(fits, || format!("{count} such {kind}"))
        }
        Look::Order { types } => {
            let mut open = types.iter().peekable();
            for event in events {
                open.next_if(|wanted| event.kind() == *wanted);
            }
            let missing = open.peek().copied();
            unless(missing.is_none(), || {
                format!("no {} there", missing.map_or("", String::as_str))
            })
        }
        Look::Goal { nth, status } => {
            let found = status_of(stage, events, *nth)?;
            unless(found == *status, || format!("it is {found}"))
        }
        Look::Untouched { paths, until } => {
            let event = until
                .as_ref()
                .map(|kind| events.iter().find(|it| it.kind() == kind));
            // An event that never came ends nothing: the whole case is looked at.
            let end = event.flatten().map_or(usize::MAX, |event| event.offset);
            let steps = seen
                .steps
                .iter()
                .take_while(|step| step.after.ledger <= end);
            let changed = steps
                .flat_map(|step| {
                    paths
                        .iter()
                        .filter(|path| step.after.files.get(*path) != seen.before.files.get(*path))
                })
                .next();
            unless(changed.is_none(), || {
                format!("{} changed", changed.map_or("", String::as_str))
            })
        }
        Look::Command { run, exit } => {
            let ran = stage.shell(run, &Actor::User, "")?;
            exited(&ran, *exit)
        }
        Look::Asks { step, asks } => {
            let reply = &step_of(seen, *step)?.ran.stdout;
            let found = reply.lines().any(|line| line.trim_end().ends_with('?'));
            unless(found == *asks, || {
                format!("the reply was: {}", reply.trim())
            })
        }
        Look::Exit { step, exit } => exited(&step_of(seen, *step)?.ran, *exit),
    })
}

fn unless(holds: bool, instead: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(instead()) }
}

fn exited(ran: &Ran, wanted: i32) -> Result<(), String> {
    unless(ran.exit == Some(wanted), || {
        let code = ran
            .exit
            .map_or("no exit".into(), |code| format!("exit {code}"));
        format!("{code}: {} {}", ran.stdout.trim(), ran.stderr.trim())
    })
}

fn step_of(seen: &Seen, nth: usize) -> Result<&crate::play::SeenStep> {
    let step = nth.checked_sub(1).and_then(|index| seen.steps.get(index));
    step.with_context(|| format!("there is no step {nth}"))
}

/// A line of the ledger that is JSON.
struct Event {
    /// Where the line begins.
    offset: usize,
    value: Value,
}

impl Event {
    fn kind(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }
}

fn events(stage: &Stage) -> Result<Vec<Event>> {
    let path = stage.project().join(".pi/goals/goal_events.jsonl");
    let bytes = fs::read(path).context("the case left no ledger")?;
    let mut offset = 0;
    let mut events = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Ok(value) = serde_json::from_slice(line) {
            events.push(Event { offset, value });
        }
        offset += line.len();
    }
    Ok(events)
}

/// The status that `goal list` shows for the nth goal that was created.
fn status_of(stage: &Stage, events: &[Event], nth: usize) -> Result<String> {
    let mut created = events.iter().filter(|it| it.kind() == "goal_created");
    let Some(event) = created.nth(nth.saturating_sub(1)) else {
        return Ok("not there".into());
    };
    let ran = stage.shell("goal list --all --limit 0 --json", &Actor::User, "")?;
    let list: Value = serde_json::from_str(&ran.stdout).context("reading `goal list --json`")?;
    let goals = list["data"]["goals"]
        .as_array()
        .context("a list of goals")?;
    let goal = goals
        .iter()
        .find(|goal| goal["goalId"] == event.value["goalId"]);
    let status = goal.and_then(|goal| goal["status"].as_str());
    Ok(status.unwrap_or("not listed").to_owned())
}
