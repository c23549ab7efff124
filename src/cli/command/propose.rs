//! `goal propose`: proposes a contract, which the user confirms or rejects.

use crate::cli::command::contract::ContractArgs;
use crate::cli::command::contract_json::JsonArgs;
use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::domain::goal::contract::ContractChange;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::propose::propose;

/// Propose a contract for a draft, or without one; it is in force once the user confirms it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "goal propose [OPTIONS] [DRAFT] OBJECTIVE
       goal propose [OPTIONS] [DRAFT] --data JSON",
    after_help = "Only the objective is required; what else a good contract says and this one \
does not is named. Proposing again for a draft replaces what your session proposed for it.

Examples:
  goal propose 'Halve the time of the tests' --criteria 'CI needs 5 minutes' \\
    --boundary 'no test is removed' --if-blocked 'ask which tests matter most'
  goal propose --data '{\"objective\": \"…\", \"successCriteria\": [\"…\"]}'"
)]
pub struct Args {
    /// The draft it is for [default: your session's own, else a new one], and what is to be achieved;
    /// an objective of `-` reads it from stdin
    #[arg(value_names = ["DRAFT", "OBJECTIVE"], num_args = 0..=2)]
    words: Vec<String>,
    /// Ordered, patient work [default: as the draft was opened]
    #[arg(long, conflicts_with_all = ["data", "data_file"])]
    sisyphus: bool,
    /// Hosts must not go on with it by themselves
    #[arg(long, conflicts_with_all = ["data", "data_file"])]
    no_auto_continue: bool,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    contract: ContractArgs,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let (draft, contract) = asked(args)?;
    let outcome = propose(&call, draft, args.sisyphus, contract)?;
    let text = say::proposed(&outcome);
    Reply::transacted(outcome, text)
}

fn asked(args: &Args) -> Result<(Option<&str>, ContractChange), Failure> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    match (args.json.contract()?, &words[..]) {
        (Some(contract), []) => Ok((None, contract)),
        (Some(contract), [draft]) => Ok((Some(draft), contract)),
        (Some(_), _) => Err(Failure::usage(
            "the objective is given twice: as an argument and in the JSON object",
            "leave one of them out",
        )),
        (None, []) => Err(Failure::usage(
            "there is no objective",
            "say what is to be achieved: `goal propose OBJECTIVE`, or pass `--data JSON`",
        )),
        (None, [objective]) => Ok((None, given(args, objective)?)),
        (None, [draft, objective, ..]) => Ok((Some(draft), given(args, objective)?)),
    }
}

fn given(args: &Args, objective: &str) -> Result<ContractChange, Failure> {
    let mut contract = args.contract.change(Some(text_or_stdin(objective)?));
    contract.auto_continue = args.no_auto_continue.then_some(false);
    Ok(contract)
}
