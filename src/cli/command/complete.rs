//! Completion: the request, the audit, what is on record of audits, and a trial of the auditor.

use std::time::Duration;

use schemars::JsonSchema;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline, seconds};
use crate::cli::person::{agrees, another_auditor, can_be_asked};
use crate::cli::print::complain;
use crate::cli::screen::columns;
use crate::domain::actor::Actor;
use crate::domain::goal::signed::Signature;
use crate::domain::passed_on::host;
use crate::domain::verdict::{Cause, Verdict};
use crate::ops;
use crate::ops::auditor_test::{Tested, auditor_test};
use crate::ops::audits::Audit;
use crate::ops::complete::{Completed, CompletionOptions, Pending, PendingAudit, pending};
use crate::ops::transacted::Record;
use crate::render::acted::acted;
use crate::render::audit::{reason, repeated, unreported};
use crate::render::changes::{counted, listed};
use crate::render::proof::{completion, seals};
use crate::render::text::{bracketed, clean, command_line, count, cut, one_line, quote};

/// Request completion: checks run, then the auditor judges
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 only when the goal is complete; 6 when the auditor does not \
approve, or still runs (run the command again to wait for it); 5 when completion cannot be \
requested.

Example:
  goal complete --summary 'All tests pass on Windows' --evidence 'CI run 1234'"
)]
pub struct Complete {
    /// What was achieved, for the auditor
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// What proves it; may be repeated
    #[arg(long, value_name = "TEXT")]
    evidence: Vec<String>,
    #[command(flatten)]
    auditor: AuditorArgs,
    /// How many seconds to wait for the verdict [default: until it is there]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    wait: Option<Duration>,
    /// Audit what others requested but cannot sign: --goal, or every such goal (user only)
    #[arg(long, conflicts_with_all = ["summary", "evidence"])]
    pending: bool,
}

/// What `complete` answers: about the goal that is meant, or with `--pending` about those that waited.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is made")]
pub enum Answered {
    One(Box<Completed>),
    Waiting(Pending),
}

pub fn complete(args: &Complete, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.pending {
        let outcome = pending(&call, &args.auditor.wanted(), args.wait)?;
        let text = match outcome.goals.is_empty() {
            true => "No request waits for a signature.\n".to_owned(),
            false => outcome.goals.iter().map(one).collect(),
        };
        let failure = outcome.failure();
        return Reply::judged(text, outcome, failure);
    }
    let asked = CompletionOptions {
        summary: args.summary.clone(),
        evidence: args.evidence.clone(),
        wanted: args.auditor.wanted(),
        wait: args.wait,
        by_runner: false,
    };
    if call.caller.actor == Actor::User && can_be_asked(&call, globals) {
        let open = ops::complete::left_open(&call)?;
        if !open.is_empty() {
            complain(&format!("Before you complete it:\n{}", open.join("\n")));
            let message = "completion was not requested";
            agrees(
                "Complete it all the same?",
                message,
                "`goal inbox` settles what waits",
            )?;
        }
    }
    if args.auditor.wanted().command.is_none() && !another_auditor(&call, globals)? {
        let hint = "`goal config` shows the auditor, and which file names it";
        return Err(Failure::new(
            "interrupted",
            "completion was not requested",
            hint,
        ));
    }
    let completed = ops::complete::complete(&call, &asked)?;
    Reply::transacted(text(&completed), completed)
}

fn one(audit: &PendingAudit) -> String {
    let id = &audit.goal_id;
    match (&audit.completed, audit.refused.as_deref()) {
        (Some(completed), _) if completed.pending => {
            format!("The audit of goal {id} is still running.\n")
        }
        (Some(completed), _) => text(completed),
        (None, why) => format!(
            "Goal {id} stays open: {}\n",
            one_line(why.unwrap_or_default())
        ),
    }
}

fn text(completed: &Completed) -> String {
    let id = &completed.goal_id;
    if completed.is_approved() {
        let report = completed.report.as_deref().unwrap_or_default();
        let how = unreported(Verdict::Approved, report);
        let signed = completed.signer.as_deref();
        let signed = signed.map_or_else(String::new, |it| format!("; signed by {}", one_line(it)));
        return format!("Complete: the auditor approved goal {id}{how}{signed}.\n");
    }
    let message = completed.failure().map(|it| it.message).unwrap_or_default();
    match completed.report.as_deref() {
        // What the error says is not said before it too.
        Some(report) if !report.trim().is_empty() && !message.contains(&one_line(report)) => {
            format!("Goal {id} stays open.\n\n{}\n", clean(report).trim_end())
        }
        _ => format!("Goal {id} stays open.\n"),
    }
}

/// Try the auditor
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal auditor test
  goal auditor test --auditor ./judge.sh")]
pub struct Auditor {
    #[command(subcommand)]
    act: AuditorAct,
}

#[derive(Debug, clap::Subcommand)]
enum AuditorAct {
    /// Ask the auditor about a harmless sample and explain what it returned; records nothing
    #[command(
        after_help = "Exit codes: 0 when the auditor gave any clear verdict; 6 when it gave none; \
5 when no auditor is configured."
    )]
    Test(AuditorArgs),
}

/// What one call says about the auditor.
#[derive(Debug, clap::Args)]
struct AuditorArgs {
    /// A preset (pi, claude, codex, gemini) or the path of one executable (user only)
    #[arg(long, value_name = "A")]
    auditor: Option<String>,
    /// The auditor's deadline, in seconds [default: 1800, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline, allow_negative_numbers = true)]
    auditor_timeout: Option<Duration>,
}

impl AuditorArgs {
    fn wanted(&self) -> CommandOptions {
        CommandOptions {
            command: self.auditor.clone(),
            timeout: self.auditor_timeout,
        }
    }
}

pub fn auditor(args: &Auditor, call: Call, _: &Globals) -> Result<Done, Failure> {
    let AuditorAct::Test(auditor) = &args.act;
    let outcome = auditor_test(&call, &auditor.wanted())?;
    let failure = outcome.failure();
    Reply::judged(tested(&outcome), outcome, failure)
}

fn tested(tested: &Tested) -> String {
    let how = unreported(tested.verdict, &tested.report);
    let cause = bracketed(tested.cause.as_ref().map(Cause::name));
    let mut text = format!("{}{how}{cause}: {}.\n", tested.verdict, tested.rule);
    if tested.command.is_empty() {
        return text + &clean(&tested.report) + "\n";
    }
    if tested.verdict != Verdict::Error {
        text.push_str("The answer has the right form: this auditor can judge goals.\n");
    }
    let source = tested.source.as_deref().unwrap_or_default();
    text.push_str(&format!(
        "\ncommand      {}  ({source})\n",
        command_line(&tested.command)
    ));
    let exit = tested
        .exit_code
        .map_or("none".to_owned(), |code| code.to_string());
    text.push_str(&format!(
        "exit status  {exit}, after {} ms\n",
        tested.duration_ms
    ));
    for (title, end) in [
        ("stdout ended with", &tested.stdout_end),
        ("stderr ended with (never judged)", &tested.stderr_end),
    ] {
        if !end.trim().is_empty() {
            text.push_str(&format!("{title}\n{}\n", quote(end)));
        }
    }
    if tested.exit_code.is_none() && tested.stdout_end.is_empty() {
        text.push_str(&(clean(&tested.report).trim().to_owned() + "\n"));
    }
    text
}

/// A report is shown up to so many bytes; `--json` has all of it.
const REPORT: usize = 2_000;

/// Most changed files that are listed of an audit.
const FILES: usize = 5;

/// Show every audit on record: claim, auditor, verdict and seals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without GOAL and --goal it shows the audits of all goals, the oldest first. `--json` adds the \
whole \
reports and everything else that is recorded about an audit.

--repeated lists repeated objections instead: an objection is repeated if it names the same \
success \
criterion as one in an earlier audit of the goal, or uses the same words. It is open until an \
audit does not raise it, or the goal ends.

Examples:
  goal audits mr5cf6ch
  goal audits --repeated")]
pub struct Audits {
    /// Its id, a beginning or end of it, or words of its title [default: --goal, else all goals]
    #[arg(value_name = "GOAL")]
    named: Option<String>,
    /// List the repeated objections instead
    #[arg(long)]
    repeated: bool,
}

pub fn audits(args: &Audits, mut call: Call, _: &Globals) -> Result<Done, Failure> {
    call.goal = args.named.clone().or(call.goal);
    let outcome = ops::audits::audits(&call, args.repeated)?;
    if let Some(found) = &outcome.repeated {
        let now = call.workspace.environment.now_millis();
        return Reply::read(repeated(found, now, columns(&call)), outcome);
    }
    let text = match outcome.audits.is_empty() {
        true => "No audit is on record. `goal complete` asks for one.\n".to_owned(),
        false => {
            let blocks: Vec<String> = outcome.audits.iter().map(block).collect();
            blocks.join("\n")
        }
    };
    Reply::read(text, outcome)
}

fn block(audit: &Audit) -> String {
    let (id, number) = (&audit.goal_id, audit.line);
    let whose = if audit.ours { "" } else { ", by another tool" };
    let mut text = format!("Goal {id}, line {number}, {}{whose}\n", one_line(&audit.at));
    let mut row = |name: &str, value: &str| {
        text += &format!("  {name:<9} {}\n", one_line(value));
    };
    if let Some(request) = &audit.request {
        row("claim", request.summary.as_deref().unwrap_or("none"));
        for evidence in request.evidence.iter().flatten() {
            row("evidence", evidence);
        }
        if let (Some(by), Some(_)) = (audit.by, host(audit.by, audit.via.as_deref())) {
            row("by", &format!("the {}", acted(by, audit.via.as_deref())));
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
    let tree = audit.started.as_ref().filter(|_| audit.elsewhere);
    if let Some(path) = tree.and_then(|started| started.tree_path.as_deref()) {
        row("tree", &format!("{path}, which is not this work tree"));
    }
    for changed in &audit.changed {
        let (path, since) = (&changed.path, changed.since);
        let said = format!("{path} changed after the audit at line {since}");
        row("changed", &said);
    }
    let changes = audit.started.as_ref().filter(|_| audit.ours);
    match changes.map(|started| started.changes.as_ref()) {
        None => {}
        Some(None) => row(
            "files",
            "not compared with the state when the contract was confirmed",
        ),
        Some(Some(changes)) => {
            row("files", &counted(changes));
            for file in listed(changes, FILES) {
                row("", &file);
            }
        }
    }
    row("verdict", &verdict(audit));
    row("seals", &seals(&audit.proof));
    if audit.signature.is_some_and(|it| it != Signature::Valid) {
        row("signed", &completion(&audit.proof, false, None));
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
            text += &format!("    {line}\n");
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
    let why = reason(audit.ours, result.verdict, result.cause.as_ref());
    let name = match result.verdict {
        Verdict::Approved if !audit.proof.is_proven() => "an unproven approval",
        Verdict::Approved => "approved",
        Verdict::Disapproved => "disapproved",
        Verdict::Error => "no verdict",
    };
    format!("{name}{report}{took}: {why}{ended}")
}
