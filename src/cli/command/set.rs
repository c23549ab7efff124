//! `goal set`: creates a goal and focuses it, at once.

use crate::cli::command::contract::ContractArgs;
use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::set::set;

/// Create a goal at once and focus it (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal set 'Make the tests pass on Windows' --criteria 'CI is green on windows-latest'
  git log -1 --format=%B | goal set - --json")]
pub struct Args {
    /// What is to be achieved; `-` reads it from stdin
    #[arg(value_name = "OBJECTIVE")]
    objective: String,
    /// Ordered, patient work: every step in its turn
    #[arg(long)]
    sisyphus: bool,
    /// Hosts must not go on with it by themselves
    #[arg(long)]
    no_auto_continue: bool,
    #[command(flatten)]
    contract: ContractArgs,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let mut contract = args.contract.change(Some(text_or_stdin(&args.objective)?));
    contract.sisyphus = Some(args.sisyphus);
    contract.auto_continue = Some(!args.no_auto_continue);
    let outcome = set(&call, contract)?;
    let text = say::done("Created and focused", &outcome);
    Reply::transacted(outcome, text)
}
