//! `goal verify`: reads the whole ledger and checks its links.

use camino::Utf8PathBuf;

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::domain::id::EventId;
use crate::ops::attested::readable;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::findings;
use crate::ops::verify::{Wanted, verify};
use crate::render::verify::{Figures, verify as text};
use crate::workspace::gate::{Gate, Signers};

/// Check every line and every link of the ledger, and print the tip to keep elsewhere
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Every line that `goal` appends names the id of the line before it, so editing, \
removing or moving a line that a link covers is found. Against somebody who rewrites all of it \
only a tip that is kept elsewhere helps:

  goal verify --json | jq -r .data.tip   keep this in CI or a signed tag
  goal verify --tip 0b5e…                every line that it reaches is untouched

Signatures of verdicts are checked by the list that you trusted (`goal trust`). CI names its own, \
and then neither the project's configuration nor anything that was trusted counts:

  goal verify --signers /etc/goal/allowed_signers --require signed

A list that lies in the project can be changed by whoever works on the project: keep it outside. \
What was complete before you required signatures has none. Keep the tip of that day, and name it:

  goal verify --signers /etc/goal/allowed_signers --require signed --since 0b5e…

Exits 7 when there are errors, with --strict also for warnings."
)]
pub struct Args {
    /// A tip that was kept elsewhere: it must still be in the history
    #[arg(long, value_name = "ID")]
    tip: Option<EventId>,
    /// Lines without a link, and lines that no link covers or reaches, are findings too
    #[arg(long)]
    strict: bool,
    /// Whose signatures count: a list of signers, as git and ssh-keygen read them
    #[arg(long, value_name = "FILE")]
    signers: Option<Utf8PathBuf>,
    /// What every completion must have
    #[arg(long, value_name = "WHAT", requires = "signers", value_enum)]
    require: Option<Require>,
    /// A tip that was kept elsewhere: what its links reach was complete before, and needs none
    #[arg(long, value_name = "ID", requires = "require")]
    since: Option<EventId>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Require {
    Signed,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let gate = match &args.signers {
        None => None,
        Some(path) => {
            let path = call.workspace.environment.cwd.join(path);
            let signers = Signers::read(path)
                .and_then(|signers| readable(&signers).map(|()| signers))
                .map_err(|why| Failure::usage(why, "name a list of signers that can be read"))?;
            Some(Gate::named_by_caller(signers, args.require.is_some()))
        }
    };
    let wanted = Wanted {
        gate,
        since: args.since,
        tip: args.tip,
        strict: args.strict,
    };
    let outcome = verify(&call, wanted)?;
    let text = text(&Figures {
        tip: outcome.tip,
        lines: outcome.lines,
        covered: outcome.covered,
        jumps: outcome.jumps,
        anchor: outcome.anchor_line.zip(outcome.unreached),
        settled: outcome.settled,
        strict: args.strict,
        findings: &outcome.findings,
        not_listed: &outcome.not_listed,
    });
    let failure = findings::failure(&outcome.findings, &outcome.not_listed, args.strict);
    Reply::judged(&outcome, text, failure)
}
