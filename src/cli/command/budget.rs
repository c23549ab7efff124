//! `goal budget`: how much a goal may cost.

use std::collections::BTreeSet;

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::domain::cost::limits::{Limit, Limits};
use crate::domain::decide::cost::limit;
use crate::ops::budget::{Budgeted, set, show};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::cost;

/// Limit what the goal may cost, or show its limits (yours to set, not an agent's)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an option it shows the limits and what was spent. A limit that is not named stays as it is. \
A goal that goes over a limit is paused before its next step; without a limit nothing stops for \
cost.

Example:
  goal budget --standard
  goal budget --cost-usd 20
  goal budget --clear")]
pub struct Args {
    /// 200 model calls, 7200 s, 600 s a checkpoint, 5 USD; an option given with it replaces its
    /// number
    #[arg(long)]
    standard: bool,
    /// Most model calls: the counter llmCalls
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_llm_calls: Option<f64>,
    /// Most seconds of work: the counter seconds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Most seconds of work on one checkpoint with the tasks below it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_seconds_per_checkpoint: Option<f64>,
    /// Most money in US dollars: the counter costUsd
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    cost_usd: Option<f64>,
    /// Remove every limit that is set; limits given with it are set anew
    #[arg(long)]
    clear: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let limits = limits(args)?;
    if limits == Limits::default() && !args.clear {
        let outcome = show(&call)?;
        let text = text("", &outcome);
        return Reply::read(&outcome, text);
    }
    let clear: BTreeSet<Limit> = match args.clear {
        true => Limit::ALL.into(),
        false => BTreeSet::new(),
    };
    let outcome = set(&call, limits, clear)?;
    let again = match outcome.repeated {
        true => "Already recorded: set",
        false => "Set",
    };
    let text = text(&format!("{again} the budget.\n"), &outcome);
    Reply::transacted(outcome, text)
}

fn limits(args: &Args) -> Result<Limits, Failure> {
    let mut limits = match args.standard {
        true => Limits::standard(),
        false => Limits::default(),
    };
    for (of, number) in [
        (Limit::MaxLlmCalls, args.max_llm_calls),
        (Limit::MaxSeconds, args.max_seconds),
        (
            Limit::MaxSecondsPerCheckpoint,
            args.max_seconds_per_checkpoint,
        ),
        (Limit::CostUsd, args.cost_usd),
    ] {
        if let Some(number) = number {
            limits.0.insert(of, limit(of, number)?);
        }
    }
    Ok(limits)
}

fn text(head: &str, outcome: &Outcome<Budgeted>) -> String {
    let goal = outcome.goal_id.as_ref().map_or("", |id| id.as_str());
    let status = outcome.status.map_or("", |status| status.name());
    match outcome.data.limits.is_empty() {
        true => format!("{head}Goal {goal} ({status}) has no limits: nothing stops it for cost.\n"),
        false => {
            let limits = cost::limits(&outcome.data.limits);
            format!("{head}Goal {goal} ({status}) may cost:\n{limits}")
        }
    }
}
