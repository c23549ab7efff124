//! What work cost, and what it may cost.

use std::collections::{BTreeMap, BTreeSet};

use super::{Call, Done, Failure, Globals, Reply, say};
use crate::cli::columns::ColumnsArg;
use crate::cli::screen::{fitted, tabled};
use crate::domain::cost::budget::{Limit, Limits};
use crate::domain::cost::state::{COST_USD, TOKENS_CACHED, TOKENS_IN, TOKENS_OUT};
use crate::domain::decide::cost::limit;
use crate::domain::event::UsageRecorded;
use crate::ops::budget::{Budgeted, set, show};
use crate::ops::transacted::Outcome;
use crate::ops::uncounted::WHERE;
use crate::ops::usage::{Grouping, Used, add, report};
use crate::render::cost;
use crate::render::view::UsageRow;

/// Record the cost of work, and show totals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A counter can have any name; its value is a number from 0. Budgets use llmCalls, tokensIn, \
tokensOut, costUsd and seconds (time worked). Cost stops nothing unless you set a budget: `goal \
budget`.

Example:
  goal usage add --counter llmCalls=1 --tokens-in 1200 --tokens-out 80 --model m
  goal usage report --by day")]
pub struct Usage {
    #[command(subcommand)]
    act: UsageAct,
}

#[derive(Debug, clap::Subcommand)]
enum UsageAct {
    /// Record what something cost
    Add(AddArgs),
    /// Show totals of all goals, or of the goal that --goal names
    Report {
        /// Group by goal, task, owner or day
        #[arg(long, value_name = "WHAT", default_value = "goal", value_parser = grouping)]
        by: Grouping,
        #[command(flatten)]
        columns: ColumnsArg<UsageRow>,
    },
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// Add this number to this counter; may be repeated
    #[arg(long = "counter", value_name = "NAME=NUMBER", value_parser = counter)]
    counters: Vec<(String, f64)>,
    /// Input tokens that did not come from the cache: the counter tokensIn
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_in: Option<f64>,
    /// Input tokens from the cache: the counter tokensCached
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_cached: Option<f64>,
    /// Output tokens: the counter tokensOut
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tokens_out: Option<f64>,
    /// Money in US dollars: the counter costUsd
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    cost_usd: Option<f64>,
    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The task that it was spent for
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
    let found = serde_json::from_value(word.into());
    found.map_err(|_| "expected goal, task, owner or day".to_owned())
}

pub fn usage(args: &Usage, call: Call, _: &Globals) -> Result<Done, Failure> {
    match &args.act {
        UsageAct::Add(given) => {
            let outcome = add(&call, counted(given)?)?;
            Reply::transacted(spent(&outcome), outcome)
        }
        UsageAct::Report { by, columns } => {
            let shown = columns.of()?;
            let outcome = report(&call, *by)?;
            let rows = &outcome.data.rows;
            let text = match shown.are_chosen() && !rows.is_empty() {
                true => tabled(&call, &shown, rows),
                false => fitted(&call, &cost::report(rows, &outcome.data.total)),
            };
            Reply::read(text, outcome)
        }
    }
}

fn counted(given: &AddArgs) -> Result<UsageRecorded, Failure> {
    let named = [
        (TOKENS_IN, given.tokens_in),
        (TOKENS_CACHED, given.tokens_cached),
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
        role: None,
        read_to: None,
    })
}

fn spent(outcome: &Outcome<Used>) -> String {
    let again = match outcome.repeated {
        true => "Already recorded",
        false => "Recorded",
    };
    let rows: String = outcome.data.rows.iter().map(cost::row).collect();
    format!("{again}. So far:\n{rows}")
}

/// The limits by name, shared by `budget` and `set`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LimitArgs {
    /// Maximum of model calls: the counter llmCalls
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_llm_calls: Option<f64>,
    /// Maximum of tokens to and from models: the counters tokensIn and tokensOut. Tokens from a cache
    /// do not count
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_tokens: Option<f64>,
    /// Maximum of seconds of work: the counter seconds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_seconds: Option<f64>,
    /// Maximum of seconds of work on one checkpoint and its subtasks
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_seconds_per_checkpoint: Option<f64>,
    /// Maximum cost in US dollars: the counter costUsd
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    cost_usd: Option<f64>,
}

impl LimitArgs {
    /// The limits that these options name.
    ///
    /// # Errors
    /// A number that is no amount.
    pub fn limits(&self) -> Result<Limits, Failure> {
        let named = [
            (Limit::MaxLlmCalls, self.max_llm_calls),
            (Limit::MaxTokens, self.max_tokens),
            (Limit::MaxSeconds, self.max_seconds),
            (
                Limit::MaxSecondsPerCheckpoint,
                self.max_seconds_per_checkpoint,
            ),
            (Limit::CostUsd, self.cost_usd),
        ];
        let mut limits = Limits::default();
        for (of, number) in named {
            if let Some(number) = number {
                limits.0.insert(of, limit(of, number)?);
            }
        }
        Ok(limits)
    }
}

/// Limit what the goal may cost, or show its limits
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without an option it shows the limits and what was spent. A limit that is not named does not \
change. If a goal exceeds a limit, it is paused before its next step. Without a limit, cost stops \
nothing.

Example:
  goal budget --standard
  goal budget --cost-usd 20
  goal budget --clear")]
pub struct Budget {
    /// 200 model calls, 7200 s, 600 s per checkpoint, 5 USD; other options replace these numbers
    #[arg(long)]
    standard: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Remove every limit; then set those that are given
    #[arg(long)]
    clear: bool,
}

pub fn budget(args: &Budget, call: Call, _: &Globals) -> Result<Done, Failure> {
    let limits = limits(args)?;
    if limits == Limits::default() && !args.clear {
        let outcome = show(&call)?;
        return Reply::read(limited("", &outcome), outcome);
    }
    let clear: BTreeSet<Limit> = match args.clear {
        true => Limit::ALL.into(),
        false => BTreeSet::new(),
    };
    let outcome = set(&call, limits, clear)?;
    let head = say::head("Set", outcome.repeated);
    Reply::transacted(limited(&format!("{head} the budget.\n"), &outcome), outcome)
}

fn limits(args: &Budget) -> Result<Limits, Failure> {
    let mut limits = match args.standard {
        true => Limits::standard(),
        false => Limits::default(),
    };
    limits.0.extend(args.limits.limits()?.0);
    Ok(limits)
}

fn limited(head: &str, outcome: &Outcome<Budgeted>) -> String {
    let goal = say::id(outcome);
    let status = outcome.status.map_or("", |status| status.name());
    match outcome.data.limits.is_empty() {
        true => format!("{head}Goal {goal} ({status}) has no limits: nothing stops it for cost.\n"),
        false => {
            let limits = cost::limits(&outcome.data.limits);
            format!("{head}Goal {goal} ({status}) may cost:\n{limits}{WHERE}\n")
        }
    }
}
