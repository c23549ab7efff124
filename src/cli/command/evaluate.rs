//! `goal evaluate`: how far the goal is.

use std::fmt::Write;

use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::evaluate::{Evaluated, Given, evaluate};
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::progress::facts;
use crate::render::text::{clean, quote};

/// Record how far the goal is, or ask the evaluator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a score the evaluator is asked: `[evaluator]` in the configuration, an \
external command that reads JSON on stdin and answers with JSON (`goal schema \
evaluator-progress-input`, `evaluator-progress-reply`).

A score suggests and completes nothing: from 0.95 on, completion; where the last three differ by \
less than 0.05, an escalation; where escalations brought nothing, a harder tier, one more, or giving \
the goal up, which is yours unless the configuration says `[progress] abandon = \"auto\"`.

Examples:
  goal evaluate
  goal evaluate --score 0.4 --gap '2 of 5 tests pass; next: the parser'"
)]
pub struct Args {
    /// From 0 (nothing of it) to 1 (every criterion holds) [default: the evaluator is asked]
    #[arg(long, value_name = "S", requires = "gap", allow_hyphen_values = true)]
    score: Option<f64>,
    /// What is met, what is not, and the next concrete step; `-` reads it from stdin
    #[arg(long, value_name = "TEXT", requires = "score")]
    gap: Option<String>,
    /// Going on as before will not get there: a new plan is needed
    #[arg(long, requires = "score")]
    escalate: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let given = match (args.score, &args.gap) {
        (Some(score), Some(gap)) => Some(Given {
            score,
            gap: text_or_stdin(gap)?,
            escalate: args.escalate,
        }),
        _ => None,
    };
    let outcome = evaluate(&call, given.as_ref())?;
    let text = text(&outcome);
    Reply::transacted(outcome, text)
}

fn text(outcome: &Outcome<Evaluated>) -> String {
    let goal = outcome.goal_id.as_ref().map(ToString::to_string);
    let again = match outcome.repeated {
        true => "Already recorded: evaluated",
        false => "Evaluated",
    };
    let score = outcome.data.score.map(|score| score.to_string());
    let by = match outcome.data.by_evaluator {
        true => " by the evaluator",
        false => "",
    };
    let gap = clean(&outcome.data.gap_analysis);
    let mut text = format!(
        "{again} goal {}{by}: {} of 1.\n\n{}\n",
        goal.unwrap_or_default(),
        score.unwrap_or_default(),
        quote(gap.trim())
    );
    // Writing to a string cannot fail.
    if let Some(tier) = outcome.data.upgraded_to {
        let _ = writeln!(text, "\nIt turned out {}.", tier.name());
    }
    if outcome.data.runway_granted {
        text.push_str("\nOne more escalation is granted.\n");
    }
    if outcome.data.abandoned {
        text.push_str("\nThe goal is given up, as the configuration says.\n");
        return text;
    }
    if let Some(progress) = &outcome.data.progress {
        let _ = writeln!(text, "\n{}", facts(progress).join("\n"));
    }
    text
}
