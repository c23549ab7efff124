//! What external commands are asked beside the audit: for an opinion, a meaning, a summary.

use std::time::Duration;

use clap::ValueEnum;

use super::{Call, CommandOptions, Done, Failure, Globals, Reply, deadline, say, text_or_stdin};
use crate::domain::review::ReviewRole;
use crate::ops;
use crate::ops::context::summarize;
use crate::ops::review::Reviewed;
use crate::ops::transacted::{Outcome, again};
use crate::render::text::{clean, one_line, quote};

/// Ask a reviewer for an opinion, which decides nothing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The reviewer is an external command: `[reviewer.ROLE]` in the configuration. Its \
stdout is the review, whose last line may be `Verdict: WORDS`. The review goes into the next \
prompts, the summary and the document; it completes and stops nothing. A reviewer that fails \
leaves nothing on record and exits 74.

Example:
  goal review --role plan-critic"
)]
pub struct Review {
    /// What it looks for
    #[arg(long)]
    role: RoleArg,
    /// A preset (pi, claude, codex, gemini) or one executable's path (user only)
    #[arg(long, value_name = "A")]
    reviewer: Option<String>,
    /// The reviewer's deadline, in seconds [default: 600, or as configured]
    #[arg(long, value_name = "S", value_parser = deadline, allow_negative_numbers = true)]
    timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// What can go wrong
    Risk,
    /// Whether what is done could go out
    Release,
    /// Whether contract and plan lead to the objective
    PlanCritic,
    /// Whether anybody still needs the goal
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
says what the message is. A new goal becomes a proposal, which is in force once you run `goal \
confirm`. An answer or a fact becomes evidence of the goal. A wish to give the goal up becomes a \
question that you answer. All of it is done with the rights of the caller: for an agent nothing is \
done that only you may do.

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

/// Carry what matters from one phase to the next
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  goal context summarize 'The parser is done; next is the printer.'")]
pub struct Context {
    #[command(subcommand)]
    act: ContextAct,
}

#[derive(Debug, clap::Subcommand)]
enum ContextAct {
    /// Record a summary of what happened so far, which stands for history in `goal prompt continue`
    #[command(
        after_help = "Without a text the summarizer is asked: `[summarizer]` in the configuration. \
A summary may have 1,500 tokens, or `summaryTokens` in `[context]`; a token is counted as four \
bytes. The latest one counts."
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
        "Summarized goal {} in about {} tokens:\n\n{}\n",
        goal,
        outcome.data.tokens,
        quote(outcome.data.summary.trim_end())
    );
    Reply::transacted(text, outcome)
}
