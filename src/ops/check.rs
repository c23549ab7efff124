//! Running checks by name and recording what came of them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

use crate::domain::command::{Command, Outside};
use crate::domain::decide::meant as meant_task;
use crate::domain::event::{CheckRun, Payload};
use crate::domain::goal::contract::names_check;
use crate::domain::goal::state::Goal;
use crate::domain::redact::redact;
use crate::domain::rejection::Rejection;
use crate::domain::task::order::{Step, next};
use crate::domain::task::statuses::TaskStatuses;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::ops::transacted::Outcome;
use crate::render::iteration::gist;
use crate::render::text::{count, one_line, short};
use crate::roles::checks;
use crate::roles::command::may_run;
use crate::transaction::Recorded;
use crate::workspace::config::{CHECK_TIMEOUT, CheckInForce, Loaded, resolve};

/// What the checks came to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// The task that it was run for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// In the order in which they were named.
    pub checks: Vec<CheckResult>,
}

/// What one check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    pub name: String,
    pub pass: bool,
    /// How it ended, and its last line.
    pub message: String,
    /// Nothing where it has no command, or did not end by itself.
    pub exit_code: Option<i32>,
    /// How it ended and what it wrote, cut and without secrets of well-known shapes.
    pub output: String,
    pub duration_ms: u64,
}

/// Runs the checks of these names; where none is named, those of the iteration that is under way
/// for `task` (without one: for the task to be done now), else those of the goal. Named ones run
/// without a goal, too, and are then recorded nowhere. `done` is told of each as it ends.
///
/// # Errors
/// Refusals before anything runs: there is nothing to run, a check of the project is not trusted.
/// A check that fails is an outcome.
pub fn check(
    call: &Call,
    names: &[String],
    task: Option<&str>,
    done: &(dyn Fn(&checks::Outcome) + Sync),
) -> Result<Outcome<Checked>, Failure> {
    call.refuse_auditor()?;
    if let Some(odd) = names.iter().find(|name| !names_check(name)) {
        let problem = format!("holds `{}`, which names no check", short(odd, 200));
        return Err(Rejection::invalid("names", problem).into());
    }
    let arguments = json!({ "goal": call.goal, "names": names, "task": task });
    if let Some(answered) = call.answer_again(Command::CHECK, &arguments)? {
        return Ok(recorded(answered));
    }
    let snapshot = call.read()?;
    let target = call.target(&snapshot);
    let goal = match target {
        // Nothing is asserted and nothing focused: whoever names checks can have them run.
        Err(Rejection::NoFocus { .. }) if !names.is_empty() && task.is_none() => None,
        target => Some(target?),
    };
    let Some(goal) = goal else {
        let outcomes = run(call, &unique(names), CHECK_TIMEOUT, done)?;
        return Ok(unrecorded(&outcomes));
    };
    // What would be refused in the end is refused before anything runs.
    let id = goal.id.clone();
    call.may(Outside::OnGoal)?;
    let (names, task) = meant(goal, names, task)?;
    let outcomes = run(call, &names, CHECK_TIMEOUT, done)?;
    let runs = runs(&outcomes, task.as_deref());
    let request = call.request(Command::RecordChecks(runs));
    Ok(recorded(request.on(&id).key(arguments).run()?))
}

/// Which checks are meant, and for which task.
fn meant(
    goal: &Goal,
    names: &[String],
    task: Option<&str>,
) -> Result<(Vec<String>, Option<String>), Failure> {
    let named = task.map(|task| meant_task(goal, task)).transpose()?;
    let now = match next(&goal.tasks, &TaskStatuses::of(&goal.tasks)) {
        Step::Work(task) | Step::Prove(task, _) => Some(task.id.as_str()),
        _ => None,
    };
    let task = named.map(|task| task.id.as_str()).or(now);
    if !names.is_empty() {
        return Ok((unique(names), task.map(str::to_owned)));
    }
    let of_task = task.and_then(|task| goal.iterations.of_task(Some(task)));
    let iteration = of_task.or_else(|| goal.iterations.of_task(None));
    let rules = iteration.map(|it| &it.rules).filter(|it| !it.is_empty());
    let names = rules.unwrap_or(&goal.contract.checks);
    if names.is_empty() {
        return Err(Failure::new(
            "no_checks",
            format!(
                "goal {} names no checks, nor does an iteration of it",
                goal.id
            ),
            "name some: `goal check NAME`; `goal config` lists those that are configured",
        ));
    }
    Ok((unique(names), task.map(str::to_owned)))
}

fn unique(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let unique = names.iter().filter(|name| seen.insert(*name));
    unique.cloned().collect()
}

/// Why these checks could not be run, each with what to type; none where they all could. `another` says how
/// another is named.
///
/// # Errors
/// The configuration cannot be read.
pub(super) fn unfit(call: &Call, names: &[String], another: &str) -> Result<Vec<Failure>, Failure> {
    let loaded = call.workspace.config_files()?;
    let config = resolve(&loaded);
    let (runnable, missing) = checks::named(names, &config, CHECK_TIMEOUT);
    let missing = missing.iter().map(|name| {
        let name = one_line(name);
        let known: Vec<String> = config
            .checks
            .keys()
            .map(|it| format!("`{}`", one_line(it)))
            .collect();
        let known = match known.is_empty() {
            true => String::new(),
            false => format!(" (configured: {})", known.join(", ")),
        };
        Failure::new(
            "check_missing",
            format!("the check `{name}` has no command{known}"),
            format!("add `[checks.{name}]` to the configuration, {another}"),
        )
    });
    let untrusted = runnable
        .iter()
        .filter_map(|check| not_trusted(call, &loaded, check));
    Ok(missing.chain(untrusted).collect())
}

/// That a check is of the project and not trusted.
fn not_trusted(call: &Call, loaded: &Loaded, check: &CheckInForce) -> Option<Failure> {
    let configured = checks::configured(check);
    let allowed = may_run(&call.workspace, call.caller.actor, loaded, &configured);
    let why = allowed.err()?;
    let name = one_line(&check.name);
    Some(Failure::untrusted(format!(
        "check `{name}` may not run: {why}"
    )))
}

/// Runs checks under trust and says what each came to, in the order of the names; `default` is the
/// deadline of those that have none of their own.
///
/// # Errors
/// One is of the project and not trusted: then none runs. We were told to stop.
pub(super) fn run(
    call: &Call,
    names: &[String],
    default: Duration,
    done: &(dyn Fn(&checks::Outcome) + Sync),
) -> Result<Vec<checks::Outcome>, Failure> {
    let loaded = call.workspace.config_files()?;
    let (runnable, missing) = checks::named(names, &resolve(&loaded), default);
    if let Some(why) = runnable
        .iter()
        .find_map(|check| not_trusted(call, &loaded, check))
    {
        return Err(why);
    }
    let cancel = interrupt::asked()?;
    let root = &call.workspace.root.path;
    // Looked at before they run: a check may change it.
    let objections = runnable
        .iter()
        .map(|check| checks::objections(&call.workspace, call.caller.actor, check));
    let objections: Vec<Vec<String>> = objections.collect();
    let what = format!("{} under way", count(runnable.len() as u64, "check"));
    let most = runnable.iter().map(|check| check.timeout.value).max();
    let mut outcomes = call
        .status_line
        .while_under_way(&what, most, || checks::all(&runnable, root, &cancel, done));
    for (outcome, objections) in outcomes.iter_mut().zip(&objections) {
        let end = outcome.report.find('\n').unwrap_or(outcome.report.len());
        for objection in objections.iter().rev() {
            outcome.report.insert_str(end, &format!("; {objection}"));
        }
    }
    if cancel() {
        return Err(Failure::new(
            "interrupted",
            "the checks were stopped; nothing is recorded",
            "run the command again",
        ));
    }
    outcomes.extend(missing.iter().map(|name| checks::without_command(name)));
    outcomes.sort_by_key(|outcome| names.iter().position(|name| *name == outcome.name));
    Ok(outcomes)
}

/// The events of checks. One without a command is among them: that it could not be run is what
/// came of it.
pub(super) fn runs(outcomes: &[checks::Outcome], task: Option<&str>) -> Vec<CheckRun> {
    let run = |outcome: &checks::Outcome| CheckRun {
        name: outcome.name.clone(),
        pass: outcome.pass,
        exit_code: outcome.exit_code,
        output: Some(outcome.report.clone()),
        duration_ms: outcome.ran.then(|| millis(outcome.duration)),
        task_id: task.map(str::to_owned),
        programs: (!outcome.programs.is_empty()).then(|| outcome.programs.clone()),
    };
    outcomes.iter().map(run).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn result(run: &CheckRun) -> CheckResult {
    let output = run.output.clone().unwrap_or_default();
    CheckResult {
        name: run.name.clone(),
        pass: run.pass,
        message: gist(&output),
        exit_code: run.exit_code,
        output,
        duration_ms: run.duration_ms.unwrap_or_default(),
    }
}

/// What was recorded, which is what is shown: secrets are gone from it.
fn recorded((receipt, _): Recorded) -> Outcome<Checked> {
    let runs = receipt.payloads().filter_map(|payload| match payload {
        Payload::CheckRun(run) => Some(run),
        _ => None,
    });
    let runs: Vec<&CheckRun> = runs.collect();
    let checked = Checked {
        checks: runs.iter().map(|run| result(run)).collect(),
        task_id: runs.iter().find_map(|run| run.task_id.clone()),
    };
    Outcome {
        failure: failure(&checked.checks),
        ..Outcome::of(receipt, checked)
    }
}

fn unrecorded(outcomes: &[checks::Outcome]) -> Outcome<Checked> {
    let mut runs = runs(outcomes, None);
    for run in &mut runs {
        let output = run.output.take().unwrap_or_default();
        run.output = Some(redact(&output).text.into_owned());
    }
    let checked = Checked {
        task_id: None,
        checks: runs.iter().map(result).collect(),
    };
    Outcome {
        failure: failure(&checked.checks),
        ..Outcome::unrecorded(checked)
    }
}

/// The data is whole, and yet the call is no success.
fn failure(checks: &[CheckResult]) -> Option<Failure> {
    let failed = checks.iter().filter(|check| !check.pass);
    let failed: Vec<String> = failed.map(|check| one_line(&check.name)).collect();
    (!failed.is_empty()).then(|| {
        let (all, names) = (checks.len(), failed.join(", "));
        Failure::new(
            "check_failed",
            format!("{} of {all} checks failed: {names}", failed.len()),
            "fix what they show, then run them again",
        )
    })
}
