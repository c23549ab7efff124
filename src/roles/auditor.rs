//! Runs the auditor and judges its answer (docs/design/gate.md).

use std::time::Duration;

use camino::Utf8Path;

use crate::domain::verdict::{Cause, Judgement, Verdict, head_and_tail, judge};
use crate::process::Finished;
use crate::render::text::clean;
use crate::roles::command::{Fault, STDERR_TAIL, answer, complaint, run};
use crate::workspace::config::CommandInForce;

/// How many of the last lines of its stdout are kept to explain the verdict, markers included.
const LAST_LINES: usize = 5;

/// The cause on record when the auditor that is configured cannot be used.
pub fn cause_of(fault: Fault) -> Cause {
    match fault {
        Fault::Invalid => Cause::AuditorInvalid,
        Fault::Untrusted => Cause::AuditorUntrusted,
        Fault::Changed => Cause::AuditorChanged,
    }
}

/// The result of one run of an auditor.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    pub judgement: Judgement,
    pub exit_code: Option<i32>,
    pub duration: Duration,
    /// How its stdout ended, markers included, cleaned.
    pub stdout_end: String,
    /// How its stderr ended, cleaned. Never judged.
    pub stderr_end: String,
}

/// Runs the auditor in the project's root with `prompt` on its stdin, and judges its answer.
pub fn audit(
    chosen: &CommandInForce,
    root: &Utf8Path,
    prompt: &str,
    cancel: &dyn Fn() -> bool,
) -> Audit {
    match run(chosen, root, prompt, cancel) {
        Ok(finished) => judged(&finished),
        Err(error) => not_started(Cause::AuditorMissing, error.to_string()),
    }
}

fn judged(finished: &Finished) -> Audit {
    let mut judgement = judge(&answer(finished));
    let stderr_end = complaint(finished);
    if judgement.verdict == Verdict::Error && !stderr_end.is_empty() {
        judgement.report = format!(
            "{}\n\nIts stderr ended with:\n{stderr_end}",
            judgement.report
        );
    }
    Audit {
        judgement,
        exit_code: finished.ending.code(),
        duration: finished.duration,
        stdout_end: last_lines(&finished.stdout),
        stderr_end,
    }
}

fn last_lines(stdout: &[u8]) -> String {
    let text = clean(&String::from_utf8_lossy(stdout));
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    head_and_tail(&last, STDERR_TAIL)
}

/// The result when the auditor was not started.
pub fn not_started(cause: Cause, report: String) -> Audit {
    Audit {
        judgement: Judgement {
            verdict: Verdict::Error,
            cause: Some(cause),
            report,
        },
        exit_code: None,
        duration: Duration::ZERO,
        stdout_end: String::new(),
        stderr_end: String::new(),
    }
}
