//! `goal audits`: what auditors were asked, and what they said.

use std::fmt::Write;

use super::{Call, Done, Failure, Globals, Reply};
use crate::domain::seal::Attestation;
use crate::domain::verdict::Verdict;
use crate::ops::audits::{Audit, audits};
use crate::render::audit::{rule, unapproved, unreported};
use crate::render::text::{clean, command_line, count, cut, one_line};

/// A report is shown up to so many bytes; `--json` has all of it.
const REPORT: usize = 2_000;

/// Show every audit on record: the claim, the auditor, the verdict and what the seals say
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Audits of all goals without GOAL and --goal, the oldest first. `--json` has the whole reports and \
whatever else is on record of an audit.

Example:
  goal audits mr5cf6ch")]
pub struct Args {
    /// Its id or any unambiguous beginning or end of it [default: --goal, else all goals]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
}

pub fn run(args: &Args, mut call: Call, _: &Globals) -> Result<Done, Failure> {
    call.goal = args.named.clone().or(call.goal);
    let outcome = audits(&call)?;
    let text = match outcome.audits.is_empty() {
        true => "No audit is on record. `goal complete` asks for one.\n".to_owned(),
        false => {
            let blocks: Vec<String> = outcome.audits.iter().map(block).collect();
            blocks.join("\n")
        }
    };
    Reply::read(text, &outcome)
}

fn block(audit: &Audit) -> String {
    let (id, number) = (&audit.goal_id, audit.line);
    let whose = if audit.ours { "" } else { ", by another tool" };
    let mut text = format!("Goal {id}, line {number}, {}{whose}\n", one_line(&audit.at));
    // Writing into a String cannot fail.
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {name:<9} {}", one_line(value));
    };
    if let Some(request) = &audit.request {
        row("claim", request.summary.as_deref().unwrap_or("none"));
        for evidence in request.evidence.iter().flatten() {
            row("evidence", evidence);
        }
    }
    match &audit.started {
        None => row("auditor", "was not started"),
        Some(started) => {
            let command = started.command.as_deref().unwrap_or_default();
            let source = started.config_source.as_deref().unwrap_or("not recorded");
            row("auditor", &format!("{} ({source})", command_line(command)));
        }
    }
    for changed in &audit.changed {
        let (path, since) = (&changed.path, changed.since);
        let said = format!("{path} is not what it was in the audit at line {since}");
        row("changed", &said);
    }
    row("verdict", &verdict(audit));
    row("seals", seals(audit.attestation));
    if let Some(not) = unapproved(audit.signature) {
        row("signed", not);
    } else if let Some(signer) = &audit.signer {
        row("signed", &format!("by {signer}"));
    }
    let report = audit
        .result
        .as_ref()
        .map_or("", |result| result.report.trim());
    if !report.is_empty() {
        row("report", &count(report.lines().count() as u64, "line"));
        for line in cut(&clean(report), REPORT).lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

fn verdict(audit: &Audit) -> String {
    let Some(result) = &audit.result else {
        return "none yet".to_owned();
    };
    let took = match result.duration_ms {
        Some(millis) => format!(" after {}.{} s", millis / 1000, millis % 1000 / 100),
        None => String::new(),
    };
    let report = unreported(result.verdict, &result.report);
    let ended = if audit.completed {
        "; it completed the goal"
    } else {
        ""
    };
    let why = rule(result.verdict, result.cause.as_ref());
    let name = match result.verdict {
        Verdict::Approved => "approved",
        Verdict::Disapproved => "disapproved",
        Verdict::Error => "no verdict",
    };
    format!("{name}{report}{took}: {why}{ended}")
}

fn seals(attestation: Attestation) -> &'static str {
    match attestation {
        Attestation::Valid => "valid: sealed with this machine's key",
        Attestation::Elsewhere => "sealed on another machine, so they cannot be checked here",
        Attestation::None => "at least one line has none",
        Attestation::Invalid => "at least one is wrong: somebody changed or imitated a line",
    }
}
