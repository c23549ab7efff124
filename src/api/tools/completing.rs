//! The tool that asks for completion. Every other status has a tool, or a person, of its own.

use std::time::Duration;

use crate::api::tools::arguments::Update;
use crate::api::tools::told::{ToolAnswer, transacted};
use crate::domain::verdict::Verdict;
use crate::ops::call::Call;
use crate::ops::complete::{Completed, CompletionOptions, complete};
use crate::ops::failure::Failure;
use crate::render::audit::unreported;
use crate::render::text::clean;
use crate::roles::command::CommandOptions;

/// Hosts kill calls that take a minute or two (docs/auditor-protocol.md#who-waits); the audit
/// outlives the call.
const LONGEST_WAIT: Duration = Duration::from_secs(45);

pub(super) fn update(call: &Call, update: Update) -> Result<ToolAnswer, Failure> {
    if update.status != "complete" {
        return Err(other_status(&update.status));
    }
    let wait = update.wait_seconds.map(u64::from).map(Duration::from_secs);
    let completed = complete(
        call,
        &CompletionOptions {
            summary: update.summary,
            evidence: update.evidence.unwrap_or_default(),
            wanted: CommandOptions::default(),
            wait: Some(wait.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)),
            by_runner: false,
        },
    )?;
    let text = text(&completed);
    transacted(completed, text)
}

fn text(completed: &Completed) -> String {
    if completed.is_approved() {
        let report = completed.report.as_deref().unwrap_or_default();
        let how = unreported(Verdict::Approved, report);
        return format!(
            "The auditor approved{how}: the goal is complete. Report to the user, and end the turn."
        );
    }
    if completed.pending {
        return "The audit is still running. Call `update_goal` again with the same arguments to get \
                its verdict; do not change what is being audited meanwhile."
            .into();
    }
    if completed.awaits_signature.is_some() {
        return "The request is recorded, and its audit waits for somebody who can sign the verdict. \
                Asking again does not help: report to the user, and end the turn."
            .into();
    }
    match completed.report.as_deref().map(str::trim) {
        Some(report) if !report.is_empty() => format!(
            "The goal stays open. Address this first, then ask again:\n\n{}",
            clean(report)
        ),
        _ => "The goal stays open.".into(),
    }
}

/// Which tool, or who, brings the status about that was asked for.
fn other_status(status: &str) -> Failure {
    let instead = match status {
        "completed" | "achieved" | "done" => "the word here is `complete`",
        "paused" => "call `pause_goal` with the reason",
        "blocked" => "call `pause_goal` with `blocked: true` and the reason",
        "aborted" | "cancelled" | "canceled" | "cleared" => "call `abort_goal` with the reason",
        "active" => "taking a goal up again is the user's: they run `goal resume`",
        "failed" => "the user decides that: they run `goal abort --as failed --reason …`",
        "abandoned" => "the user decides that: they run `goal abort --as abandoned --reason …`",
        _ => "`complete` is the only status that can be asked for",
    };
    Failure::new(
        "wrong_tool",
        format!("`update_goal` cannot make a goal `{}`", clean(status)),
        instead,
    )
}
