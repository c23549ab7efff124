//! Baselines: how things stood before the work, so that only progress since is credited. The
//! user's words, or the output of a check; which check new goals begin with, the configuration
//! says. A check runs outside the ledger's lock, and only under trust.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::actor::Actor;
use crate::domain::command::{Command, Outside};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{BaselineCaptured, Payload};
use crate::domain::id::GoalId;
use crate::domain::progress::ProgressCommand;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::ops::transacted::Outcome;
use crate::ops::two_steps::without_second;
use crate::roles::checks::{self, check, named};
use crate::roles::command::{CommandOptions, may_run};
use crate::transaction::{Receipt, Recorded};
use crate::workspace::config::{CHECK_TIMEOUT, Role, resolve};
use crate::workspace::gate::Gate;
use crate::workspace::presets::Preset;

/// What a baseline is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineFrom {
    Text(String),
    /// The output of the check with this name.
    Check(String),
    /// The output of the check that the configuration names.
    Configured,
}

/// The outcome of `baseline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Baselined {
    /// The baseline as it is on record.
    pub text: String,
    /// The check whose output it is.
    pub command: Option<String>,
}

/// Records the goal's baseline; the latest counts.
///
/// # Errors
/// The caller is an agent, a text that says nothing, a check that nobody configured, that is not
/// trusted or that came to no end.
pub fn baseline(call: &Call, from: &BaselineFrom) -> Result<Outcome<Baselined>, Failure> {
    call.refuse_auditor()?;
    let arguments = match from {
        BaselineFrom::Text(text) => json!({ "goal": call.goal, "text": text }),
        BaselineFrom::Check(name) => json!({ "goal": call.goal, "command": name }),
        BaselineFrom::Configured => json!({ "goal": call.goal }),
    };
    let name = match from {
        BaselineFrom::Text(text) => {
            let request = call.request(command(text, None));
            return Ok(request.key(arguments).run()?.into());
        }
        BaselineFrom::Check(name) => Some(name.clone()),
        BaselineFrom::Configured => configured(call)?,
    };
    if let Some(recorded) = call.answer_again(ProgressCommand::BASELINE, &arguments)? {
        return Ok(recorded.into());
    }
    let name = name.ok_or_else(|| {
        Failure::usage(
            "there is no baseline to record: no text, no `--command`, and no check in `[baseline]`",
            "pass a text, or `--command NAME` with a check of the configuration; `[baseline] \
             check = \"NAME\"` makes every new goal begin with it",
        )
    })?;
    // What would be refused in the end is refused before anything runs.
    let snapshot = call.may(Outside::Baseline)?;
    let goal = call.target(&snapshot)?;
    let text = output(call, &name)?;
    let request = call.request(command(&text, Some(name))).on(&goal.id);
    Ok(request.key(arguments).run()?.into())
}

/// Takes the baseline of the goals that a request created, where the configuration names a check.
/// Whatever goes wrong is a notice: the goals exist, and `goal progress baseline` takes it later.
pub fn at_creation(call: &Call, (receipt, now): &Recorded) -> Vec<Diagnostic> {
    let created = created(receipt);
    if created.is_empty() {
        return Vec::new();
    }
    let taken = || -> Result<Vec<Diagnostic>, Failure> {
        let Some(name) = configured(call)? else {
            return Ok(Vec::new());
        };
        // Whoever repeats a request may have been killed while its check ran; where anything else
        // happened to a goal since, it does not begin now.
        let mut goals = Vec::new();
        for id in created {
            let latest = now.state.goals.get(id).and_then(|goal| goal.latest);
            let latest = latest.map(|line| now.id(line)).transpose()?;
            if !receipt.repeated || latest.is_some_and(|latest| receipt.ids.contains(&latest)) {
                goals.push(id);
            }
        }
        if goals.is_empty() {
            return Ok(Vec::new());
        }
        let text = output(call, &name)?;
        let mut notices = Vec::new();
        for goal in goals {
            let command = command(&text, Some(name.clone()));
            match call.request(command).on(goal).by(Actor::System).run() {
                Ok((receipt, _)) => notices.extend(receipt.notices),
                Err(error) => {
                    let what = format!("the baseline of goal {goal}");
                    let hint = "look with `goal show`; if the goal has no baseline, run `goal progress baseline`";
                    notices.push(without_second(Code::NoBaseline, &what, hint, error));
                }
            }
        }
        Ok(notices)
    };
    taken().unwrap_or_else(|failure| {
        vec![Diagnostic::new(
            Code::NoBaseline,
            format!("no baseline was taken: {}", failure.message),
            format!("{}; then run `goal progress baseline`", failure.hint),
        )]
    })
}

/// The goals that a request created, but for those that it took over.
fn created(receipt: &Receipt) -> Vec<&GoalId> {
    let events = receipt.events.iter();
    let created = events.filter_map(|event| match &event.payload {
        Payload::GoalCreated(it) if it.imported != Some(true) => event.goal_id.as_ref(),
        _ => None,
    });
    created.collect()
}

/// The outcome of a request that may have created goals, with their baselines taken and the user's use
/// noted. Where nobody can audit them, it says so.
pub fn begun<T: for<'a> From<&'a Receipt>>(call: &Call, recorded: Recorded) -> Outcome<T> {
    let mut notices = at_creation(call, &recorded);
    notices.extend(another_auditor(call));
    if !created(&recorded.0).is_empty() {
        notices.extend(without_auditor(call));
    }
    let mut outcome = Outcome::from(recorded);
    outcome.notices.extend(notices);
    outcome
}

/// The same for a caller that cannot wait for a check: where one is configured, the baseline is left to
/// the user.
pub(super) fn begun_without_check<T: for<'a> From<&'a Receipt>>(
    call: &Call,
    recorded: Recorded,
) -> Outcome<T> {
    let mut notices = Vec::new();
    if !created(&recorded.0).is_empty() {
        if matches!(configured(call), Ok(Some(_))) {
            let message = "no baseline was taken: its check is not run here";
            let hint = "`goal progress baseline` takes it";
            notices.push(Diagnostic::new(Code::NoBaseline, message, hint));
        }
        notices.extend(without_auditor(call));
    }
    let mut outcome = Outcome::from(recorded);
    outcome.notices.extend(notices);
    outcome
}

/// What the user is told where the auditor, or what leads it, is not that of their last call; else this
/// call is noted as their last.
pub(super) fn another_auditor(call: &Call) -> Option<Diagnostic> {
    let another = call.note_use()?;
    let hint = "until `goal trust` accepts it, no agent can request completion with it";
    let what = another.differing.join("; ");
    Some(Diagnostic::new(Code::AnotherAuditor, what, hint))
}

/// What the user is told where no auditor is configured, with the command that configures one: when a
/// goal is created, and not when it is done. Whoever signs verdicts may bring the auditor, and a
/// configuration that cannot be read is told of where it is used.
pub(super) fn without_auditor(call: &Call) -> Option<Diagnostic> {
    let chosen = call.choose(Role::Auditor, &CommandOptions::default());
    if !matches!(chosen, Ok(None)) || Gate::of(&call.workspace).required {
        return None;
    }
    let message = "no auditor is configured, and without one the goal cannot be completed";
    let names = Preset::ALL.map(Preset::program).join(", ");
    let hint = format!("`goal init --auditor NAME` tries one and keeps it: {names}, or ./SCRIPT");
    Some(Diagnostic::new(Code::NoAuditor, message, hint))
}

/// The check that the configuration names.
fn configured(call: &Call) -> Result<Option<String>, Failure> {
    let settings = resolve(&call.workspace.config_files()?).keys.baseline;
    Ok(settings.check.map(|check| check.value))
}

/// What the check writes, however it exits: a baseline is no judgement.
fn output(call: &Call, name: &str) -> Result<String, Failure> {
    let loaded = call.workspace.config_files()?;
    let (runnable, _) = named(&[name.to_owned()], &resolve(&loaded), CHECK_TIMEOUT);
    let Some(runnable) = runnable.first() else {
        return Err(Failure::usage(
            format!("no check is called `{name}`"),
            format!("add `[checks.{name}]` to the configuration (user only)"),
        ));
    };
    let configured = checks::configured(runnable);
    may_run(&call.workspace, call.caller.actor, &loaded, &configured)
        .map_err(Failure::untrusted)?;
    let cancel = interrupt::asked()?;
    let most = Some(runnable.timeout.value);
    let outcome = call
        .status_line
        .while_under_way("the baseline is measured", most, || {
            check(runnable, &call.workspace.root.path, &cancel)
        });
    match outcome.exit_code {
        Some(_) => Ok(outcome.report),
        None => Err(Failure::new(
            "baseline_failed",
            format!("check `{name}` came to no end: {}", outcome.report),
            "try its command by hand, or say how things stand with `goal progress baseline TEXT`",
        )),
    }
}

fn command(text: &str, command: Option<String>) -> Command {
    Command::from(ProgressCommand::Baseline(BaselineCaptured {
        text: text.to_owned(),
        command,
    }))
}

impl From<&Receipt> for Baselined {
    fn from(receipt: &Receipt) -> Baselined {
        let captured = receipt.payloads().find_map(|payload| match payload {
            Payload::BaselineCaptured(it) => Some((it.text.clone(), it.command.clone())),
            _ => None,
        });
        let (text, command) = captured.unwrap_or_default();
        Baselined { text, command }
    }
}
