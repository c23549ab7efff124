//! `goal auditor test`: tries the auditor on a harmless sample.

use std::time::Duration;

use super::{Call, Done, Failure, Globals, Reply, Wanted, deadline};
use crate::domain::verdict::Verdict;
use crate::ops::auditor_test::{Tested, auditor_test};
use crate::render::audit::unreported;
use crate::render::text::{clean, command_line, quote};

/// Try the auditor
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Ask the auditor about a harmless sample and explain what it returned; records nothing
    #[command(
        after_help = "Exits 0 when it gave a clear verdict, whichever; 6 when it did not; 5 when no \
auditor is configured."
    )]
    Test(AuditorArgs),
}

/// What one call says about the auditor.
#[derive(Debug, clap::Args)]
pub(super) struct AuditorArgs {
    /// A preset (pi, claude, codex, gemini) or one executable's path (yours to choose)
    #[arg(long, value_name = "A")]
    auditor: Option<String>,
    /// The auditor's deadline, in seconds [default: 1800, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline)]
    auditor_timeout: Option<Duration>,
}

impl AuditorArgs {
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            command: self.auditor.clone(),
            timeout: self.auditor_timeout,
        }
    }
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let Act::Test(auditor) = &args.act;
    let outcome = auditor_test(&call, &auditor.wanted())?;
    Reply::judged(text(&outcome), &outcome, outcome.failure())
}

fn text(tested: &Tested) -> String {
    let cause = tested
        .cause
        .as_ref()
        .map(|cause| format!(" ({})", cause.name()));
    let mut text = format!(
        "{}{}{}: {}.\n",
        tested.verdict,
        unreported(tested.verdict, &tested.report),
        cause.unwrap_or_default(),
        tested.rule
    );
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
