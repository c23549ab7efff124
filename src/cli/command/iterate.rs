//! `goal iterate`: goes round until checks pass.

use clap::ValueEnum;

use crate::cli::command::check::progress;
use crate::cli::globals::Globals;
use crate::cli::input::bytes;
use crate::cli::reply::{Done, Reply};
use crate::domain::event::iteration::IterationOutcome;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::iterate::{Given, Iterated, complete, next, start, stats, validate};
use crate::render::iteration;

/// Try, validate by what can be observed, learn, try again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A validation runs the rules and reads promises. The first of these that holds is the \
result: every rule passes, and there is at least one: COMPLETE, whatever is promised; a promise \
says that the work is blocked: BLOCKED; there are no rules, and a promise says that the work is \
complete: COMPLETE; the maximum is reached: the loop is over. Else another iteration follows. \
BLOCKED and the maximum end the loop and block its task, or without a task the goal.

Example:
  goal iterate start --task 1 --rule tests_pass --rule lint_clean
  goal iterate validate --output transcript.txt
  goal iterate next --learned 'the cache has to be emptied first'
  goal iterate complete --outcome success --summary 'the cache is gone'")]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Begin to go round
    Start(Start),
    /// Read promises, run the rules, and judge
    Validate {
        /// The iteration [default: the only one under way]
        #[arg(long, value_name = "ID")]
        iteration: Option<String>,
        /// What the agent wrote, in which promises count alone on a line, outside code fences and
        /// quotations; `-` reads it from stdin
        #[arg(long, value_name = "FILE")]
        output: Option<String>,
    },
    /// Count up: the next iteration begins
    Next {
        /// The iteration [default: the only one under way]
        #[arg(long, value_name = "ID")]
        iteration: Option<String>,
        /// What the one before has taught; reports are made from it
        #[arg(long, value_name = "TEXT")]
        learned: Option<String>,
    },
    /// End it
    Complete {
        /// The iteration [default: the only one under way]
        #[arg(long, value_name = "ID")]
        iteration: Option<String>,
        /// How; success only where the latest validation says COMPLETE
        #[arg(long)]
        outcome: Outcome,
        /// What came of it
        #[arg(long, value_name = "TEXT")]
        summary: String,
    },
    /// Show how iterations went, over all goals
    Stats,
}

#[derive(Debug, clap::Args)]
struct Start {
    /// The task that it is for [default: the goal itself]
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// How many iterations at most [default: the agent's file, ITERATION_MAX_DEFAULT, 15]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_iterations: Option<u64>,
    /// A promise of your own beside <promise>COMPLETE</promise> and <promise>BLOCKED</promise>; one
    /// that contains BLOCKED blocks, any other completes
    #[arg(long = "promise", value_name = "TEXT")]
    promises: Vec<String>,
    /// A check that must pass
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
    /// An agent's definition, whose frontmatter has `iteration`; what is given here beats it
    #[arg(long, value_name = "FILE")]
    agent: Option<String>,
}

/// How it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Outcome {
    Success,
    Blocked,
    MaxIterations,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        Act::Start(args) => {
            let given = Given {
                max_iterations: args.max_iterations,
                promises: args.promises.clone(),
                rules: args.rules.clone(),
            };
            start(&call, args.task.as_deref(), given, args.agent.as_deref())?
        }
        Act::Validate { iteration, output } => {
            let output = output.as_deref().map(bytes).transpose()?;
            let done = progress(globals);
            validate(&call, iteration.as_deref(), output.as_deref(), &done)?
        }
        Act::Next { iteration, learned } => next(&call, iteration.as_deref(), learned.as_deref())?,
        Act::Complete {
            iteration,
            outcome,
            summary,
        } => {
            let outcome = match outcome {
                Outcome::Success => IterationOutcome::Success,
                Outcome::Blocked => IterationOutcome::Blocked,
                Outcome::MaxIterations => IterationOutcome::MaxIterations,
            };
            complete(&call, iteration.as_deref(), outcome, summary)?
        }
        Act::Stats => stats(&call)?,
    };
    replied(outcome)
}

fn replied(outcome: Iterated) -> Result<Done, Failure> {
    let text = match &outcome.stats {
        Some(stats) => iteration::stats(stats),
        None => outcome.text(),
    };
    match outcome.events.is_empty() {
        true => Reply::read(&outcome, text),
        false => Reply::transacted(outcome, text),
    }
}
