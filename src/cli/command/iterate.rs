//! `goal iterate`: goes round until checks pass.

use crate::cli::command::check::progress;
use crate::cli::globals::Globals;
use crate::cli::input::bytes;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::iterate::{
    Complete, Iterated, Next, Start, complete, next, start, stats, validate,
};
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
    Next(Next),
    /// End it
    Complete(Complete),
    /// Show how iterations went, over all goals
    Stats,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let outcome = match &args.act {
        Act::Start(asked) => start(&call, asked)?,
        Act::Validate { iteration, output } => {
            let output = output.as_deref().map(bytes).transpose()?;
            let done = progress(globals);
            validate(&call, iteration.as_deref(), output.as_deref(), &done)?
        }
        Act::Next(asked) => next(&call, asked)?,
        Act::Complete(asked) => complete(&call, asked)?,
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
