//! Trying the configured auditor on a harmless sample: does its answer count as a verdict?
//! Records nothing.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::rejection::Rejection;
use crate::domain::verdict::{Cause, Verdict};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::interrupt;
use crate::render::audit::rule;
use crate::roles::auditor::{audit, cause_of, not_started};
use crate::roles::command::{Choosing, CommandOptions, choose};
use crate::workspace::config::Role;

/// What the sample asks. Both answers are fine; it is about their form.
const PROMPT: &str = include_str!("auditor_test.md");

/// The outcome of `auditor test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tested {
    pub verdict: Verdict,
    /// Why it is no clear verdict.
    pub cause: Option<Cause>,
    /// The row of the verdict table that decided, in words.
    pub rule: String,
    /// What was run; empty when the configuration cannot be used.
    pub command: Vec<String>,
    /// `project`, `user`, `environment` or `flag`.
    pub source: Option<String>,
    /// Nothing when it did not exit by itself.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// The last lines of stdout, which is what is judged.
    pub stdout_end: String,
    /// The end of stderr, which is never judged.
    pub stderr_end: String,
    /// What an audit would record as the report.
    pub report: String,
}

impl Tested {
    /// The error that goes with the data when there is no clear verdict.
    pub fn failure(&self) -> Option<Failure> {
        let hint = match (self.verdict, &self.cause) {
            (Verdict::Approved | Verdict::Disapproved, _) => return None,
            (Verdict::Error, Some(Cause::AuditorUntrusted | Cause::AuditorChanged)) => {
                "`goal trust --show` lists what would be trusted; test again once it is"
            }
            (Verdict::Error, Some(Cause::AuditorInvalid)) => {
                "correct the configuration (`goal config` shows it) and test again"
            }
            (Verdict::Error, _) => {
                "it cannot complete a goal until its command works: correct it (`goal config` \
                 shows it) and test again"
            }
        };
        let message = format!("the auditor gave no verdict: {}", self.rule);
        Some(Failure::new("no_verdict", message, hint))
    }
}

/// Runs the auditor on the sample and explains its answer.
///
/// # Errors
/// No auditor is configured; an agent chose one; the caller is an auditor itself.
pub fn auditor_test(call: &Call, wanted: &CommandOptions) -> Result<Tested, Failure> {
    call.refuse_auditor()?;
    call.note_use();
    let choosing = choose(&call.workspace, call.caller.actor, Role::Auditor, wanted)?;
    let (audit, command, source) = match choosing.ok_or(Rejection::NoAuditor)? {
        Choosing::Unusable { fault, why } => (not_started(cause_of(fault), why), Vec::new(), None),
        Choosing::Ready(chosen) => {
            let cancel = interrupt::asked()?;
            let most = Some(chosen.timeout.value);
            let audit =
                call.status_line
                    .while_under_way("the auditor reads a sample", most, || {
                        audit(&chosen, &call.workspace.root.path, PROMPT, &cancel)
                    });
            (audit, chosen.argv, Some(chosen.source.name().to_owned()))
        }
    };
    let judgement = audit.judgement;
    Ok(Tested {
        rule: rule(judgement.verdict, judgement.cause.as_ref()).to_owned(),
        verdict: judgement.verdict,
        cause: judgement.cause,
        command,
        source,
        exit_code: audit.exit_code,
        duration_ms: u64::try_from(audit.duration.as_millis()).unwrap_or(u64::MAX),
        stdout_end: audit.stdout_end,
        stderr_end: audit.stderr_end,
        report: judgement.report,
    })
}
