//! `goal context summarize`: the rolling summary of a goal.

use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::context::summarize;
use crate::ops::failure::Failure;
use crate::render::text::quote;

/// Carry what matters from one phase to the next
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
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

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let Act::Summarize { text } = &args.act;
    let given = text.as_deref().map(text_or_stdin).transpose()?;
    let outcome = summarize(&call, given.as_deref())?;
    let goal = outcome.goal_id.as_ref().map(ToString::to_string);
    let text = format!(
        "Summarized goal {} in about {} tokens:\n\n{}\n",
        goal.unwrap_or_default(),
        outcome.data.tokens,
        quote(outcome.data.summary.trim_end())
    );
    Reply::transacted(outcome, text)
}
