//! `goal config`: what is in force, and where each value came from.

use std::fmt::Write;

use super::{Call, Done, Failure, Globals, Reply};
use crate::ops::config::{Settings, config};
use crate::render::text::one_line;
use crate::workspace::config::{Role, Source};
use crate::workspace::root::RootSource;
use crate::workspace::trust::TrustStatus;

/// Show the configuration in force, with where each value came from
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What one call says (--auditor, GOAL_AUDITOR) counts over the project's file, and \
that over yours. An auditor is taken whole from one place; checks go by name."
)]
pub struct Args {}

pub fn run(_: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = config(&call)?;
    Reply::read(text(&outcome), &outcome)
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
    let roles = &settings.roles.0;
    if !roles.contains_key(&Role::Auditor) {
        text.push_str("auditor  none: no goal can be completed; `goal init` shows how\n");
    }
    for (role, command) in roles {
        let _ = match role {
            Role::Auditor => writeln!(text, "auditor  {command}"),
            Role::Reviewer(role) => writeln!(text, "reviewer {role}: {command}"),
            Role::Agent => writeln!(text, "runner's agent: {command}"),
            role => writeln!(text, "{role}: {command}"),
        };
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
        let _ = writeln!(text, "tool     {tool}");
    }
    for check in &settings.checks {
        let _ = writeln!(text, "check    {check}");
    }
    // Of single values only those that somebody set.
    for row in settings.keys.rows() {
        if let Some((value, source)) = row.held.filter(|held| held.1 != Source::Default) {
            let (value, source) = (one_line(&value), source.name());
            let _ = writeln!(text, "{:<8} {} = {value}  ({source})", row.table, row.key);
        }
    }
    let trust = match settings.trust {
        None => return text,
        Some(TrustStatus::Trusted) => "the project's commands are trusted",
        Some(TrustStatus::Expected) => "the project's commands are trusted by GOAL_TRUST",
        Some(TrustStatus::Changed) => {
            "NOT trusted: the project's commands changed; they do not run before `goal trust` (the \
             user's to run)"
        }
        Some(TrustStatus::Unknown) => {
            "NOT trusted: the project's commands run only after `goal trust` (the user's to run)"
        }
    };
    text + "trust    " + trust + "\n"
}
