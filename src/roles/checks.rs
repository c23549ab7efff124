//! Checks: named commands of the configuration that must succeed before an auditor is asked.
//!
//! A contract holds names only; nothing found in a ledger or a document is ever executed.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::verdict::{defang, head_and_tail};
use crate::process::{Ending, Invocation, run};
use crate::render::text::clean;
use crate::workspace::config::{Config, Source};

/// Of a check's output as much is kept, in bytes.
const OUTPUT: usize = 16 * 1024;

/// A check that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Runnable {
    pub name: String,
    pub argv: Vec<String>,
    /// Relative to the project's root.
    pub cwd: Utf8PathBuf,
    pub timeout: Duration,
    /// From the project's configuration, so that it runs only when trusted.
    pub of_project: bool,
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub name: String,
    pub pass: bool,
    pub exit_code: Option<i32>,
    /// How it ended and what it wrote, cleaned and cut.
    pub report: String,
}

/// The commands of these checks; the names that have none come second.
pub fn named(names: &[String], config: &Config) -> (Vec<Runnable>, Vec<String>) {
    let mut runnable = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        match config.checks.get(name) {
            None => missing.push(name.clone()),
            Some(check) => runnable.push(Runnable {
                name: name.clone(),
                argv: check.value.argv.clone(),
                cwd: check.value.cwd.clone(),
                timeout: check.timeout().value,
                of_project: check.source == Source::Project,
            }),
        }
    }
    (runnable, missing)
}

/// The outcome of a check that has no command: it fails, naming itself.
pub fn without_command(name: &str) -> Outcome {
    Outcome {
        name: name.to_owned(),
        pass: false,
        exit_code: None,
        report: format!("no command is configured for it; add `[checks.{name}]`"),
    }
}

/// Runs a check below the project's root.
pub fn check(runnable: &Runnable, root: &Utf8Path, cancel: &dyn Fn() -> bool) -> Outcome {
    let invocation = Invocation {
        argv: runnable.argv.clone(),
        cwd: root.join(&runnable.cwd),
        env: Vec::new(),
        stdin: Vec::new(),
        // More than is kept, so that a talkative check is not killed for it.
        stdout_cap: 64 * 1024 * 1024,
        stderr_tail: OUTPUT,
        deadline: runnable.timeout,
    };
    let outcome = |pass, exit_code, report| Outcome {
        name: runnable.name.clone(),
        pass,
        exit_code,
        report,
    };
    let finished = match run(&invocation, cancel) {
        Ok(finished) => finished,
        Err(error) => return outcome(false, None, error.to_string()),
    };
    let (how, exit_code) = match finished.ending {
        _ if finished.overflow => ("wrote more than 64 MiB and was stopped".to_owned(), None),
        Ending::Exited(code) => (format!("exit status {code}"), Some(code)),
        Ending::Signalled(signal) => (format!("killed by signal {signal}"), None),
        Ending::TimedOut => (
            format!("killed after {} s", runnable.timeout.as_secs()),
            None,
        ),
        Ending::Cancelled => ("cancelled".to_owned(), None),
    };
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        head_and_tail(clean(&defang(&text)).trim_end(), OUTPUT)
    };
    let report = format!(
        "{how}\n{}\n{}",
        text(&finished.stdout),
        text(&finished.stderr_tail)
    );
    outcome(
        exit_code == Some(0),
        exit_code,
        report.trim_end().to_owned(),
    )
}
