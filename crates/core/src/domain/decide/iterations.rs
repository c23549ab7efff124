//! Deciding what happens to a goal's iterations. A validation that finds one blocked, or at its
//! maximum, ends it and blocks its task in the same write, so that nothing is left half said.

use std::collections::BTreeMap;

use crate::domain::actor::Caller;
use crate::domain::decide::{lifecycle, require_text, require_text_if_given, tasks};
use crate::domain::event::{
    GoalPaused, IterationAdvanced, IterationCompleted, IterationStarted, IterationValidated,
    Payload,
};
use crate::domain::goal::contract::names_check;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::iteration::judge::{self, Passing, Signal, judge};
use crate::domain::iteration::report::{reason, report};
use crate::domain::iteration::state::{IterationOutcome, Iterations, Open, RuleResult, in_lines};
use crate::domain::iteration::{IterationCommand, Validated};
use crate::domain::rejection::Rejection;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::spec::Limits;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time::millis;

/// Most rules of one iteration.
const RULES: usize = 50;
/// Most promises of one iteration.
const PROMISES: usize = 20;

/// Decides a command on the iterations of `goal`, which is open. `now` is in milliseconds.
pub fn decide(
    goal: &Goal,
    command: &IterationCommand,
    now: i64,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    match command {
        IterationCommand::Start(starting) => {
            let task = starting.task_id.as_deref();
            let task = task.map(|task| tasks::id_meant(goal, task, caller));
            let starting = IterationStarted {
                task_id: task.transpose()?,
                ..starting.clone()
            };
            may_start(goal, &starting)?;
            Ok(vec![starting.into()])
        }
        IterationCommand::Validate(validated) => validate(goal, validated, now, caller),
        IterationCommand::Next { iteration, learned } => {
            let open = goal.iterations.find(iteration.as_deref())?;
            Ok(vec![advance(open, learned.as_deref())?.into()])
        }
        IterationCommand::Complete {
            iteration,
            outcome,
            summary,
        } => {
            let open = goal.iterations.find(iteration.as_deref())?;
            let summary = require_text("summary", summary)?;
            complete(goal, open, (*outcome, summary), now, caller)
        }
    }
}

fn may_start(goal: &Goal, starting: &IterationStarted) -> Result<(), Rejection> {
    if let Some(task) = &starting.task_id {
        tasks::workable(goal, task)?;
    }
    if let Some(open) = goal.iterations.of_task(starting.task_id.as_deref()) {
        return Err(Rejection::IterationState {
            iteration: open.id.clone(),
            how: "under way already for the same task or goal",
            hint: "go on with it, or end it with `goal progress iterate complete`",
        });
    }
    if starting.max_iterations == Some(0) {
        return Err(Rejection::invalid("maxIterations", "must be at least 1"));
    }
    for (field, found, most) in [
        ("validationRules", starting.rules.len(), RULES),
        (
            "completionPromises",
            starting.completion_promises.len(),
            PROMISES,
        ),
    ] {
        if found > most {
            return Err(Rejection::invalid(
                field,
                format!("has {found} entries; the limit is {most}"),
            ));
        }
    }
    if let Some(rule) = starting.rules.iter().find(|rule| !names_check(rule)) {
        let problem = format!("holds {rule:?}, which names no check");
        return Err(Rejection::invalid("validationRules", problem));
    }
    for promise in &starting.completion_promises {
        if let Some(problem) = judge::problem(promise) {
            let problem = format!("holds {promise:?}, which {problem}");
            return Err(Rejection::invalid("completionPromises", problem));
        }
    }
    Ok(())
}

fn validate(
    goal: &Goal,
    validated: &Validated,
    now: i64,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let seen = &validated.seen;
    let open = goal.iterations.find(Some(&seen.iteration_id))?;
    if open.number() != seen.iteration.max(1) {
        return Err(Rejection::IterationState {
            iteration: open.id.clone(),
            how: "at another count by now than the one that was validated",
            hint: "validate again",
        });
    }
    let promise = validated.promise.as_ref();
    let results = with_regressions(open, seen);
    let mut judged = judge(
        &results,
        passing(goal, open, seen),
        promise.map(|it| it.signal),
        (open.number(), open.most),
    );
    if seen.agent.is_some() && judged.signal == Some(Signal::Complete) {
        let is_last = open.most.is_some_and(|most| open.number() >= most);
        judged = judged.of_a_failed_agent(is_last);
    }
    let runs = validated.runs.iter().cloned();
    let mut payloads: Vec<Payload> = runs.map(Into::into).collect();
    let event = IterationValidated {
        iteration: in_lines(open.number(), open.from_zero),
        results,
        signal: judged.signal.map(|signal| signal.name().to_owned()),
        promise: promise
            .filter(|_| seen.run_id.is_some())
            .map(|it| it.signal.name().to_owned()),
        // The transaction fills in how the work tree stands.
        head: None,
        dirty: None,
        ..seen.clone()
    };
    let mut after = Iterations {
        open: vec![open.clone()],
        ..Iterations::default()
    };
    after.validate(&event);
    let after = after.find(None)?;
    payloads.push(event.into());
    payloads.extend(attempt(goal, open, seen.agent.as_deref(), caller)?);
    let (outcome, summary, why) = match judged.signal {
        Some(Signal::Complete) => return Ok(payloads),
        Some(Signal::Blocked) => {
            let why = promise.and_then(|it| it.reason.clone());
            let why =
                why.unwrap_or_else(|| format!("the agent says {} but not why", judge::BLOCKED));
            (IterationOutcome::Blocked, why.clone(), why)
        }
        None if judged.should_continue => {
            // In a run the next one begins at once; of others their caller says what comes next.
            if seen.run_id.is_some() {
                payloads.push(advance(after, learned(after).as_deref())?.into());
            }
            return Ok(payloads);
        }
        None => {
            let summary = report(after, None);
            (IterationOutcome::MaxIterations, summary, reason(after))
        }
    };
    payloads.push(ended(after, outcome, summary, now));
    payloads.extend(block(goal, open.task.as_deref(), &why, caller)?);
    Ok(payloads)
}

/// The attempt at a checkpoint that failed with its agent.
fn attempt(
    goal: &Goal,
    open: &Open,
    agent: Option<&str>,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let (Some(task), Some(how)) = (&open.task, agent) else {
        return Ok(Vec::new());
    };
    if tasks::workable(goal, task).is_err() {
        return Ok(Vec::new());
    }
    let command = TaskCommand::Mark {
        task: tasks::exactly(task),
        becomes: TaskStatus::Failed,
        word: Word::why(format!("the agent ended badly: {how}")),
    };
    tasks::decide(goal, &command, &Limits::default(), caller)
}

/// In a run the rules run after each turn, whatever was said. So they say only that something is done if one
/// of them failed before: a check of the goal, worked as a whole, since the contract last changed and since
/// the latest objection; any other rule in this loop or after the turn before.
fn passing(goal: &Goal, open: &Open, seen: &IterationValidated) -> Passing {
    let checks = goal.runs.open.as_ref().map(|run| &run.counts.checks);
    let failed = |name: &String| {
        let before = || {
            checks
                .and_then(|all| all.get(name))
                .is_some_and(|it| !it.pass)
        };
        match open.task.is_none() && goal.contract.checks.contains(name) {
            true => goal.gate.check_failed,
            false => open.failures.contains_key(name) || before(),
        }
    };
    match seen.run_id.is_none() || seen.results.keys().any(failed) {
        true => Passing::Sign,
        false => Passing::Guard,
    }
}

/// What the rules came to, with each check of the goal that passed when the checkpoint began and fails
/// now: a checkpoint is not complete while it has broken something.
fn with_regressions(open: &Open, seen: &IterationValidated) -> BTreeMap<String, RuleResult> {
    let mut results = seen.results.clone();
    for name in &open.passing {
        let check = seen.checks.as_ref().and_then(|all| all.get(name));
        if check.is_some_and(|check| !check.pass) {
            results.entry(name.clone()).or_insert_with(|| RuleResult {
                pass: false,
                message: "it passed when this checkpoint began".into(),
            });
        }
    }
    results
}

/// What the latest validation says to do; without rules nothing was learned.
fn learned(open: &Open) -> Option<String> {
    let latest = open.latest.as_ref().filter(|it| !it.results.is_empty())?;
    Some(
        judge(
            &latest.results,
            Passing::Guard,
            None,
            (open.number(), open.most),
        )
        .message,
    )
}

/// Counts up.
fn advance(open: &Open, learned: Option<&str>) -> Result<IterationAdvanced, Rejection> {
    if open.is_last() {
        return Err(Rejection::IterationState {
            iteration: open.id.clone(),
            how: "at its maximum",
            hint: "validate it, or end it with `goal progress iterate complete --outcome max_iterations \
                   --summary TEXT`",
        });
    }
    Ok(IterationAdvanced {
        iteration_id: open.id.clone(),
        iteration: in_lines(open.current.saturating_add(1), open.from_zero),
        learned: require_text_if_given("learned", learned)?,
    })
}

fn complete(
    goal: &Goal,
    open: &Open,
    (outcome, summary): (IterationOutcome, String),
    now: i64,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let end = |summary| ended(open, outcome, summary, now);
    let task = open.task.as_deref();
    match outcome {
        IterationOutcome::Success if is_proved(goal, open) => Ok(vec![end(summary)]),
        IterationOutcome::Success => Err(Rejection::IterationState {
            iteration: open.id.clone(),
            how: "not validated as COMPLETE since it last counted up",
            hint: "success is shown, not said: run `goal progress iterate validate`, with the agent's \
                   output where a promise is to count",
        }),
        IterationOutcome::Blocked => {
            let blocked = block(goal, task, &summary, caller)?;
            Ok([vec![end(summary)], blocked].concat())
        }
        IterationOutcome::MaxIterations if open.is_last() => {
            let blocked = block(goal, task, &reason(open), caller)?;
            let summary = report(open, Some(&summary));
            Ok([vec![end(summary)], blocked].concat())
        }
        IterationOutcome::MaxIterations => Err(Rejection::IterationState {
            iteration: open.id.clone(),
            how: "not at its maximum",
            hint: "go on with `goal progress iterate next`, or end it as blocked",
        }),
    }
}

/// Whether a validation says so, or the task that it is for is complete by its own conditions.
fn is_proved(goal: &Goal, open: &Open) -> bool {
    let complete = |task: &String| {
        goal.tasks.find(task).is_some()
            && TaskStatuses::of(&goal.tasks).status(task) == TaskStatus::Complete
    };
    open.is_proved() || open.task.as_ref().is_some_and(complete)
}

fn ended(open: &Open, outcome: IterationOutcome, summary: String, now: i64) -> Payload {
    let began = millis(&open.started_at);
    let elapsed = began.map_or(0, |began| now.saturating_sub(began));
    let total = match outcome {
        // A task may be complete by its own conditions before anybody validated.
        IterationOutcome::Success => open.number(),
        _ => open.validated(),
    };
    let completed = IterationCompleted {
        iteration_id: open.id.clone(),
        outcome,
        summary,
        total_iterations: in_lines(total, open.from_zero),
        elapsed_ms: u64::try_from(elapsed).unwrap_or(0),
    };
    completed.into()
}

/// Blocks the task, or without one the goal; what is blocked or over already stays as it is.
fn block(
    goal: &Goal,
    task: Option<&str>,
    reason: &str,
    caller: &Caller,
) -> Result<Vec<Payload>, Rejection> {
    let Some(task) = task else {
        let blocker = GoalPaused {
            suggested_action: Some("lift what is in the way, then `goal resume`".into()),
            blocked: Some(true),
            ..GoalPaused::because(reason)
        };
        return match goal.status {
            Status::Blocked => Ok(Vec::new()),
            _ => Ok(vec![lifecycle::pause_or_block(goal, &blocker)?]),
        };
    };
    let stands = TaskStatuses::of(&goal.tasks).status(task);
    let workable = matches!(stands, TaskStatus::Pending | TaskStatus::Active);
    if !workable || tasks::workable(goal, task).is_err() {
        return Ok(Vec::new());
    }
    let command = TaskCommand::Mark {
        task: tasks::exactly(task),
        becomes: TaskStatus::Blocked,
        word: Word::why(reason),
    };
    tasks::decide(goal, &command, &Limits::default(), caller)
}
