//! `goal usage`: what work cost.

use std::collections::BTreeMap;

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::domain::cost::state::{COST_USD, TOKENS_IN, TOKENS_OUT};
use crate::domain::event::UsageRecorded;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::ops::usage::{Grouping, Used, add, report};
use crate::render::cost;

/// Record what work cost, and see the sums
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Counters are free: any name, a number from 0. Known to budgets are llmCalls, costUsd and seconds \
(time worked). Nothing stops for cost unless you set a budget: `goal budget`.

Example:
  goal usage add --counter llmCalls=1 --tokens-in 1200 --tokens-out 80 --model m
  goal usage report --by day")]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Record what something cost
    Add(AddArgs),
    /// Sum up what was spent: on all goals, or on the one that --goal names
    Report {
        /// What to sum up by: goal, task, owner or day
        #[arg(long, value_name = "WHAT", default_value = "goal", value_parser = grouping)]
        by: Grouping,
    },
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// Add this number to this counter; may be repeated
    #[arg(long = "counter", value_name = "NAME=NUMBER", value_parser = counter)]
    counters: Vec<(String, f64)>,
    /// Tokens that went to the model: the counter tokensIn
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_in: Option<f64>,
    /// Tokens that came from it: the counter tokensOut
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_out: Option<f64>,
    /// Money in US dollars: the counter costUsd
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    cost_usd: Option<f64>,
    /// Which model it was
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The task that it was spent on
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

fn counter(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("expected NAME=NUMBER")?;
    let parsed = number.trim().parse();
    let number = parsed.map_err(|_| format!("`{number}` is no number"))?;
    Ok((name.trim().to_owned(), number))
}

fn grouping(word: &str) -> Result<Grouping, String> {
    let found = Grouping::ALL.into_iter().find(|it| it.name() == word);
    found.ok_or_else(|| "expected goal, task, owner or day".to_owned())
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    match &args.act {
        Act::Add(given) => {
            let outcome = add(&call, usage(given)?)?;
            let text = text(&outcome);
            Reply::transacted(outcome, text)
        }
        Act::Report { by } => {
            let outcome = report(&call, *by)?;
            let text = cost::report(&outcome.data.rows, &outcome.data.total);
            Reply::read(&outcome, text)
        }
    }
}

fn usage(given: &AddArgs) -> Result<UsageRecorded, Failure> {
    let named = [
        (TOKENS_IN, given.tokens_in),
        (TOKENS_OUT, given.tokens_out),
        (COST_USD, given.cost_usd),
    ];
    let named = named.into_iter();
    let named = named.filter_map(|(name, number)| Some((name.to_owned(), number?)));
    let mut counters = BTreeMap::new();
    for (name, number) in given.counters.iter().cloned().chain(named) {
        if counters.insert(name.clone(), number).is_some() {
            let message = format!("the counter `{}` is given twice", name.escape_debug());
            return Err(Failure::usage(message, "add the numbers up"));
        }
    }
    if counters.is_empty() {
        let message = "there is nothing to record";
        let hint = "say what it cost, such as `--counter llmCalls=1` or `--cost-usd 0.02`";
        return Err(Failure::usage(message, hint));
    }
    Ok(UsageRecorded {
        counters,
        model: given.model.clone(),
        task_id: given.task.clone(),
    })
}

fn text(outcome: &Outcome<Used>) -> String {
    let again = match outcome.repeated {
        true => "Already recorded",
        false => "Recorded",
    };
    let rows: String = outcome.data.rows.iter().map(cost::row).collect();
    format!("{again}. So far:\n{rows}")
}
