//! `goal draft`: opens an intent for a new goal, or closes one.

use crate::cli::command::say;
use crate::cli::globals::Globals;
use crate::cli::input::text_or_stdin;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::draft::{cancel, open};
use crate::ops::failure::Failure;

/// Open a draft: what you want, before a contract for it is proposed (yours to do, not an agent's)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The agent discusses the topic with you and proposes a contract with \
`goal propose`; you answer with `goal confirm` or `goal reject`.

Examples:
  goal draft 'The tests are slow on Windows'
  goal draft --cancel"
)]
pub struct Args {
    /// What it is about; `-` reads it from stdin
    #[arg(required_unless_present = "cancel", conflicts_with = "cancel")]
    topic: Option<String>,
    /// Ordered, patient work: only a contract in this mode can then be proposed
    #[arg(long, conflicts_with = "cancel")]
    sisyphus: bool,
    /// Close the draft instead, with what is proposed for it [default: the only open one]
    #[arg(long, value_name = "DRAFT", num_args = 0..=1)]
    cancel: Option<Option<String>>,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    if let Some(draft) = &args.cancel {
        let outcome = cancel(&call, draft.as_deref())?;
        let id = say::draft(outcome.data.draft_id.as_deref());
        return Reply::transacted(outcome, format!("Cancelled draft {id}.\n"));
    }
    let topic = text_or_stdin(args.topic.as_deref().unwrap_or_default())?;
    let outcome = open(&call, &topic, args.sisyphus)?;
    let id = say::draft(outcome.data.draft_id.as_deref());
    let mode = if args.sisyphus { "sisyphus" } else { "regular" };
    let text = format!(
        "Opened draft {id} ({mode}).\nNext: discuss it with the agent, which proposes a contract \
         with `goal propose`; then decide with `goal confirm` or `goal reject`.\n"
    );
    Reply::transacted(outcome, text)
}
