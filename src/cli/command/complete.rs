//! Completion: the request, the audit, what is on record of audits, and a trial of the auditor.

mod text;

use std::time::Duration;

use schemars::JsonSchema;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline, seconds};
use crate::cli::columns::ColumnsArg;
use crate::cli::person::{agrees, another_auditor, can_be_asked};
use crate::cli::print::complain;
use crate::cli::screen::{columns, known_columns, tabled};
use crate::domain::actor::Actor;
use crate::domain::verdict::{Cause, Verdict};
use crate::ops;
use crate::ops::auditor_test::{Tested, auditor_test};
use crate::ops::complete::{Completed, CompletionOptions, Pending, PendingAudit, pending};
use crate::ops::transacted::Record;
use crate::render::audit::{AuditRow, repeated, unreported};
use crate::render::text::{bracketed, clean, command_line, one_line, quote};

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
    Reply::transacted(completed_text(&completed), completed)
}

fn one(audit: &PendingAudit) -> String {
    let id = &audit.goal_id;
    match (&audit.completed, audit.refused.as_deref()) {
        (Some(completed), _) if completed.pending => {
            format!("The audit of goal {id} is still running.\n")
        }
        (Some(completed), _) => completed_text(completed),
        (None, why) => format!(
            "Goal {id} stays open: {}\n",
            one_line(why.unwrap_or_default())
        ),
    }
}

fn completed_text(completed: &Completed) -> String {
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
        Some(report) if !report.trim().is_empty() && !message.ends_with(&one_line(report)) => {
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

/// Show every audit on record: claim, auditor, verdict and seals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without GOAL and --goal it shows the audits of all goals, the oldest first; with --columns as \
a table. `--json` adds the whole reports and everything else that is recorded about an audit.

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
    #[arg(long, conflicts_with = "columns")]
    repeated: bool,
    #[command(flatten)]
    columns: ColumnsArg<AuditRow>,
}

pub fn audits(args: &Audits, mut call: Call, _: &Globals) -> Result<Done, Failure> {
    call.goal = args.named.clone().or(call.goal);
    let shown = args.columns.of()?;
    let outcome = ops::audits::audits(&call, args.repeated)?;
    if let Some(found) = &outcome.repeated {
        let now = call.workspace.environment.now_millis();
        return Reply::read(repeated(found, now, columns(&call)), outcome);
    }
    let text = match (outcome.audits.is_empty(), shown.are_chosen()) {
        (true, _) => "No audit is on record. `goal complete` asks for one.\n".to_owned(),
        (false, false) => text::in_full(&outcome.audits, known_columns(&call)),
        (false, true) => {
            let rows: Vec<AuditRow> = outcome.audits.iter().map(text::row).collect();
            tabled(&call, &shown, &rows)
        }
    };
    Reply::read(text, outcome)
}
