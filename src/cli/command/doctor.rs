//! `goal doctor`: everything that is not as it should be.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::doctor::doctor;
use crate::ops::failure::Failure;
use crate::ops::findings;
use crate::render::findings::{findings as text, tally};

/// Find what is wrong with ledger, documents and settings, and say what helps
#[derive(Debug, clap::Args)]
#[command(after_help = "Changes nothing. `goal repair` mends documents.

Exits 7 when there are errors, with --strict also for warnings.")]
pub struct Args {
    /// Exit 7 for warnings too
    #[arg(long)]
    strict: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = doctor(&call)?;
    let (found, rest) = (&outcome.diagnostics, &outcome.not_listed);
    let text = format!(
        "{}: {}\n{}",
        call.workspace.root.path,
        tally(found, rest),
        text(found, rest)
    );
    let failure = findings::failure(found, rest, args.strict);
    Reply::judged(&outcome, text, failure)
}
