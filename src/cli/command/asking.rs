//! What external commands are asked beside the audit: for an opinion, a meaning, a summary.

use std::time::Duration;

use clap::ValueEnum;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline, say, text_or_stdin};
use crate::domain::review::ReviewRole;
use crate::ops;
use crate::ops::context::summarize;
use crate::ops::review::Reviewed;
use crate::ops::transacted::{Outcome, again};
use crate::render::text::{clean, count, one_line, quote};

/// Ask a reviewer for an opinion; it decides nothing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The reviewer is an external command: `[reviewer.ROLE]` in the configuration. Its \
stdout is the review, whose last line may be `Verdict: WORDS`. The review appears in the next \
prompts, the summary and the document; it completes and stops nothing. If the reviewer fails, \
nothing is recorded and the exit code is 74.

Example:
  goal progress review --role plan-critic"
)]
pub struct Review {
    /// What it looks for
    #[arg(long)]
    role: RoleArg,
    /// A preset (pi, claude, codex, gemini) or the path of one executable (user only)
    #[arg(long, value_name = "A")]
    reviewer: Option<String>,
    /// The reviewer's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline, allow_negative_numbers = true)]
    timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// Risks: what can go wrong
    Risk,
    /// Whether the result can be released
    Release,
    /// Whether the contract and the plan lead to the objective
    PlanCritic,
    /// Whether the goal is still needed
    StaleGoal,
}

pub fn review(args: &Review, call: Call, _: &Globals) -> Result<Done, Failure> {
    let role = match args.role {
        RoleArg::Risk => ReviewRole::Risk,
        RoleArg::Release => ReviewRole::Release,
        RoleArg::PlanCritic => ReviewRole::PlanCritic,
        RoleArg::StaleGoal => ReviewRole::StaleGoal,
    };
    let wanted = CommandOptions {
        command: args.reviewer.clone(),
        timeout: args.timeout,
    };
    let outcome = ops::review::review(&call, role, &wanted)?;
    Reply::transacted(reviewed_text(&outcome), outcome)
}

fn reviewed_text(reviewed: &Outcome<Reviewed>) -> String {
    let id = say::id(reviewed);
    let verdict = reviewed.data.verdict.as_deref().map(one_line);
    let verdict = verdict.map_or("no verdict".to_owned(), |it| format!("verdict: {it}"));
    let again = again(reviewed.repeated);
    let head = format!(
        "{again}Review ({}) of goal {}, {verdict}. It decides nothing.\n",
        reviewed.data.role, id
    );
    match clean(&reviewed.data.report).trim() {
        "" => head,
        report => format!("{head}\n{report}\n"),
    }
}

/// Ask the interpreter what a message means
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The interpreter is an external command, `[interpreter]` in the configuration. It \
classifies the message. A new goal becomes a proposal, which takes effect when you run `goal \
confirm`. An answer or a fact becomes evidence of the goal. A wish to abandon the goal becomes a \
question that you answer. All this is done with the rights of the caller: an agent cannot use it \
to \
do what only you may do.

Example:
  goal interpret 'the client wants CSV too'"
)]
pub struct Interpret {
    /// The message; `-` reads it from stdin
    message: String,
}

pub fn interpret(args: &Interpret, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::interpret::interpret(&call, &text_or_stdin(&args.message)?)?;
    Reply::transacted(outcome.text(), outcome)
}

/// Record a summary that later prompts use as history
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  goal context summarize 'The parser is done; next is the printer.'")]
pub struct Context {
    #[command(subcommand)]
    act: ContextAct,
}

#[derive(Debug, clap::Subcommand)]
enum ContextAct {
    /// Record a summary of what happened so far; `goal prompt continue` uses it as history
    #[command(
        after_help = "Without a text the summarizer is asked: `[summarizer]` in the configuration. \
A summary may have 1,500 tokens, or `summaryTokens` in `[context]`; a token is counted as four \
bytes. Only the latest summary counts."
    )]
    Summarize {
        /// The summary; `-` reads it from stdin
        text: Option<String>,
    },
}

pub fn context(args: &Context, call: Call, _: &Globals) -> Result<Done, Failure> {
    let ContextAct::Summarize { text } = &args.act;
    let given = text.as_deref().map(text_or_stdin).transpose()?;
    let outcome = summarize(&call, given.as_deref())?;
    let goal = say::id(&outcome);
    let text = format!(
        "Summarized goal {} in about {}:\n\n{}\n",
        goal,
        count(outcome.data.tokens as u64, "token"),
        quote(outcome.data.summary.trim_end())
    );
    Reply::transacted(text, outcome)
}
