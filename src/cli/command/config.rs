//! `goal config`: what is in force, and where each value came from.

use std::fmt::Write;

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::config::{CheckInForce, CommandInForce, RunnerInForce, Seconds, Settings, config};
use crate::ops::failure::Failure;
use crate::render::text::{command_line, one_line};
use crate::workspace::config::Source;
use crate::workspace::root::RootSource;
use crate::workspace::trust::Standing;

/// Show the configuration in force, with where each value came from
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What one call says (--auditor, GOAL_AUDITOR) counts over the project's file, and \
that over yours. An auditor is taken whole from one place; checks go by name."
)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = config(&call)?;
    let text = text(&outcome);
    Reply::read(&outcome, text)
}

fn text(settings: &Settings) -> String {
    let mut text = String::new();
    // Writing into a String cannot fail.
    let root = match settings.root.source {
        RootSource::Flag => "--root",
        RootSource::Environment => "GOAL_ROOT",
        RootSource::Goals => "the nearest directory with .pi/goals",
        RootSource::Git => "the top of the git work tree",
        RootSource::WorkingDirectory => "the working directory",
    };
    let _ = writeln!(text, "root     {}  ({root})", one_line(&settings.root.path));
    let via = settings
        .via
        .as_deref()
        .map(|via| format!("  (found the mark of {via})"));
    let _ = writeln!(
        text,
        "actor    {}{}",
        settings.actor,
        via.unwrap_or_default()
    );
    for file in &settings.files {
        let note = match (&file.problem, file.exists) {
            (Some(problem), _) => format!("  BROKEN: {}", one_line(problem)),
            (None, true) => String::new(),
            (None, false) => "  (none)".into(),
        };
        let source = file.source.name();
        let _ = writeln!(text, "{source:<8} {}{note}", one_line(&file.path));
    }
    if let Some(problem) = &settings.problem {
        let _ = writeln!(text, "nothing is in force: {}", one_line(problem));
        return text;
    }
    match &settings.auditor {
        Some(in_force) => text.push_str(&role("auditor ", in_force)),
        None => text.push_str("auditor  none: no goal can be completed; `goal init` shows how\n"),
    }
    for (name, in_force) in &settings.reviewers {
        text.push_str(&role(&format!("reviewer {name}:"), in_force));
    }
    for (name, in_force) in [
        ("planner", &settings.planner),
        ("evaluator", &settings.evaluator),
        ("interpreter", &settings.interpreter),
        ("summarizer", &settings.summarizer),
        ("runner's agent", &settings.agent),
    ] {
        if let Some(in_force) = in_force {
            text.push_str(&role(&format!("{name}:"), in_force));
        }
    }
    if let Some(gate) = &settings.gate {
        let required = if gate.required {
            "required"
        } else {
            "not required"
        };
        let changed = if gate.changed {
            "; not as you trusted it: `goal trust`"
        } else {
            ""
        };
        let signers = gate.signers.as_deref().unwrap_or("none");
        let key = settings.key.as_deref().unwrap_or("none");
        let (signers, key) = (one_line(signers), one_line(key));
        let _ = writeln!(
            text,
            "gate     a signature is {required}, signers: {signers}, your key: {key}{changed}"
        );
    }
    for tool in &settings.tools {
        let takes = match tool.parameters.is_empty() {
            true => String::new(),
            false => format!(", takes {}", one_line(&tool.parameters.join(", "))),
        };
        let most = match tool.max_result.source {
            Source::Default => String::new(),
            _ => format!(", result at most {} bytes", tool.max_result.most),
        };
        let _ = writeln!(
            text,
            "tool     {}: {}  ({}){}{takes}{most}",
            one_line(&tool.name),
            command_line(&tool.command),
            tool.source.name(),
            timeout(tool.timeout)
        );
    }
    for check in &settings.checks {
        let _ = writeln!(
            text,
            "check    {}: {}{}  ({}){}",
            one_line(&check.name),
            command_line(&check.command),
            criteria(check),
            check.source.name(),
            timeout(check.timeout)
        );
    }
    let limits = settings.tasks.iter();
    let limits = limits.filter(|(_, limit)| limit.source != Source::Default);
    for (name, limit) in limits {
        let source = limit.source.name();
        let _ = writeln!(text, "tasks    {name} = {}  ({source})", limit.value);
    }
    text.push_str(&runner(&settings.runner));
    if settings.abandon.source != Source::Default {
        let (value, source) = (settings.abandon.value, settings.abandon.source.name());
        let _ = writeln!(text, "progress abandon = {value}  ({source})");
    }
    let every = &settings.evaluate_every;
    if every.source != Source::Default {
        let source = every.source.name();
        let _ = writeln!(text, "progress evaluateEvery = {}  ({source})", every.value);
    }
    if let Some(baseline) = &settings.baseline {
        let (check, source) = (one_line(&baseline.check), baseline.source.name());
        let _ = writeln!(text, "baseline check {check}  ({source})");
    }
    let trust = match settings.trust {
        None => return text,
        Some(Standing::Trusted) => "the project's commands are trusted",
        Some(Standing::Expected) => "the project's commands are trusted by GOAL_TRUST",
        Some(Standing::Changed) => {
            "NOT trusted: the project's commands changed since they were; the user runs `goal trust`"
        }
        Some(Standing::Unknown) => {
            "NOT trusted: the project's commands do not run until the user runs `goal trust`"
        }
    };
    text + "trust    " + trust + "\n"
}

/// What of `[runner]` is not as it is built in.
fn runner(runner: &RunnerInForce) -> String {
    let pause = runner.pause_between_checkpoints;
    let all = [
        (
            "enabled",
            runner.enabled.value.to_string(),
            runner.enabled.source,
        ),
        (
            "autoContinue",
            runner.auto_continue.value.to_string(),
            runner.auto_continue.source,
        ),
        (
            "pauseBetweenCheckpoints",
            pause.seconds.to_string(),
            pause.source,
        ),
        (
            "emptyIterations",
            runner.empty_iterations.value.to_string(),
            runner.empty_iterations.source,
        ),
    ];
    let said = all
        .into_iter()
        .filter(|(_, _, source)| *source != Source::Default);
    said.map(|(name, value, source)| format!("runner   {name} = {value}  ({})\n", source.name()))
        .collect()
}

fn role(name: &str, in_force: &CommandInForce) -> String {
    let named = [
        ("provider", &in_force.provider),
        ("model", &in_force.model),
        ("thinking", &in_force.thinking),
    ];
    let preset = in_force.preset.map(|preset| format!("preset {preset}, "));
    let model: String = named
        .iter()
        .filter_map(|(name, value)| Some(format!("; {name} {}", one_line(value.as_deref()?))))
        .collect();
    format!(
        "{name} {}{}{model}  ({}){}\n",
        preset.unwrap_or_default(),
        command_line(&in_force.command),
        in_force.source.name(),
        timeout(in_force.timeout)
    )
}

/// When a check passes, where that is not just status 0.
fn criteria(check: &CheckInForce) -> String {
    let status = match check.exit_status {
        0 => String::new(),
        status => format!(", exit status {status}"),
    };
    let streams = [
        ("stdout", &check.stdout_matches),
        ("stderr", &check.stderr_matches),
    ];
    let matches = streams.iter().filter_map(|(stream, pattern)| {
        let pattern = one_line(pattern.as_deref()?);
        Some(format!(", {stream} matches `{pattern}`"))
    });
    format!("{status}{}", matches.collect::<String>())
}

fn timeout(timeout: Seconds) -> String {
    format!(
        ", at most {} s  ({})",
        timeout.seconds,
        timeout.source.name()
    )
}
