//! `goal complete`: asks for completion; only the auditor's approval completes.

use std::time::Duration;

use schemars::JsonSchema;

use super::{Call, Done, Failure, Globals, Reply, seconds};
use crate::cli::command::auditor::AuditorArgs;
use crate::domain::verdict::Verdict;
use crate::ops::complete::{Asked, Completed, Pending, PendingAudit, complete, pending};
use crate::ops::transacted::Record;
use crate::render::audit::unreported;
use crate::render::text::{clean, one_line};

/// Ask for completion: checks run, then the auditor judges, and only its approval completes
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits 0 only when the goal is complete; 6 when the auditor does not \
approve or is still at work (run it again to wait on), 5 when completion cannot be asked for.

Example:
  goal complete --summary 'All tests pass on Windows' --evidence 'CI run 1234'"
)]
pub struct Args {
    /// What was achieved, for the auditor
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// What proves it; may be repeated
    #[arg(long, value_name = "TEXT")]
    evidence: Vec<String>,
    #[command(flatten)]
    auditor: AuditorArgs,
    /// How long to wait for the verdict, in seconds [default: to the end]
    #[arg(long, value_name = "S", value_parser = seconds)]
    wait: Option<Duration>,
    /// Audit what others requested and cannot sign: --goal, or every goal that waits (yours to do)
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

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    if args.pending {
        let outcome = pending(&call, &args.auditor.wanted(), args.wait)?;
        let text = match outcome.goals.is_empty() {
            true => "No request waits for a signature.\n".to_owned(),
            false => outcome.goals.iter().map(one).collect(),
        };
        return Reply::judged(text, &outcome, outcome.failure());
    }
    let asked = Asked {
        summary: args.summary.clone(),
        evidence: args.evidence.clone(),
        wanted: args.auditor.wanted(),
        wait: args.wait,
        by_runner: false,
    };
    let completed = complete(&call, &asked)?;
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
