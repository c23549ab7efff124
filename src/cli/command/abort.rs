//! `goal abort`: gives the goal up.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::draft::{Cleared, clear};
use crate::ops::failure::Failure;
use crate::ops::lifecycle::abort;

/// Give the goal up; ends an agent's turn
#[derive(Debug, clap::Args)]
#[command(override_usage = "goal abort [OPTIONS] --reason <TEXT>")]
pub struct Args {
    /// Why
    #[arg(long, value_name = "TEXT", required_unless_present = "cancel_draft")]
    reason: Option<String>,
    /// Cancel an open draft instead; the older extension's names for this command pass it
    #[arg(long, hide = true)]
    cancel_draft: bool,
}

/// The older extension asked for no reason.
const NO_REASON: &str = "given up without a reason";

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let reason = args.reason.as_deref().unwrap_or(NO_REASON);
    let outcome = match args.cancel_draft {
        false => abort(&call, reason)?,
        true => match clear(&call, reason)? {
            Cleared::Goal(outcome) => outcome,
            Cleared::Draft(outcome) => {
                let id = say::draft(outcome.data.draft_id.as_deref());
                let text = format!(
                    "Cancelled draft {id}, and nothing else.\nNext: `goal abort --reason TEXT` \
                     gives the goal up.\n"
                );
                return Reply::transacted(outcome, text);
            }
        },
    };
    let text = say::done("Aborted", &outcome);
    Reply::transacted(outcome, text)
}
