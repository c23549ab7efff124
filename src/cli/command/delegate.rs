//! `goal delegate`: hands a part of a goal on.

use crate::cli::command::contract::ContractArgs;
use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::delegate::delegate;
use crate::ops::failure::Failure;

/// Hand a part of the goal on to an owner; an agent's waits for `goal confirm`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Creates a goal of its own that the owner owes to the owner of this one; the focus stays. When it \
completes past its auditor, that is evidence on this goal, under the key completed.ID, for which a \
task can wait. `goal commitments` lists who owes what to whom.

Example:
  goal delegate --to ben 'Write the migration guide' --boundary 'no code'")]
pub struct Args {
    /// What is to be achieved; `-` reads it from stdin
    #[arg(value_name = "OBJECTIVE")]
    objective: String,
    /// Who is to achieve it
    #[arg(long, value_name = "OWNER")]
    to: String,
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
    if contract.owner.is_some() {
        let message = "--to says who owes it, and --owner was given with it";
        return Err(Failure::usage(message, "leave --owner out"));
    }
    contract.sisyphus = Some(args.sisyphus);
    contract.auto_continue = Some(!args.no_auto_continue);
    let outcome = delegate(&call, &args.to, contract)?;
    let text = match outcome.data.applied {
        true => say::contracted("Handed on as", &outcome),
        false => say::proposed(&outcome),
    };
    Reply::transacted(outcome, text)
}
