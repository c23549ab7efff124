//! `goal set`: creates a goal and focuses it, at once.

use camino::Utf8PathBuf;
use serde_json::Value;

use crate::cli::command::contract::ContractArgs;
use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::{lines, text_or_stdin};
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::set::{set, set_all};
use crate::render::text::count;

/// Create a goal at once and focus it (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  goal set 'Make the tests pass on Windows' --criteria 'CI is green on Windows'
  git log -1 --format=%B | goal set - --json")]
pub struct Args {
    /// What is to be achieved; `-` reads it from stdin
    #[arg(value_name = "OBJECTIVE", required_unless_present = "batch")]
    objective: Option<String>,
    /// Create many at once: a file with a contract a line, in the JSON of `goal log`; `-` reads
    /// stdin. The first is focused where nothing is
    #[arg(long, value_name = "FILE", conflicts_with_all = ["objective", "sisyphus", "no_auto_continue"])]
    batch: Option<Utf8PathBuf>,
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
    if let Some(path) = &args.batch {
        let contracts: Vec<Value> = lines(path)?;
        let outcome = set_all(&call, &contracts)?;
        let goals = count(contracts.len() as u64, "goal");
        let text = say::done(&format!("Created {goals}, the first of them"), &outcome);
        return Reply::transacted(outcome, text);
    }
    let objective = text_or_stdin(args.objective.as_deref().unwrap_or_default())?;
    let mut contract = args.contract.change(Some(objective));
    contract.sisyphus = Some(args.sisyphus);
    contract.auto_continue = Some(!args.no_auto_continue);
    let outcome = set(&call, contract)?;
    let text = say::done("Created and focused", &outcome);
    Reply::transacted(outcome, text)
}
