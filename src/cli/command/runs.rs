//! `goal runs`: which runs there were, and the report of one.

mod text;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Done, Failure, Globals, Reply};
use crate::domain::history::RunReport;
use crate::ops::runs::{self, Kept, RunReports};
use text::{list, report};

/// List the runs, or report one: its turns, and why it stopped
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Times are UTC. Prompts and output of the latest 50 runs are kept beside the \
ledger, outside of git; the report names where.

Examples:
  goal runs --live
  goal runs last --md"
)]
pub struct Args {
    /// A run, by its id or the beginning of one, or `last` [default: list all]
    #[arg(value_name = "RUN")]
    named: Option<String>,
    /// Only runs that a process works now
    #[arg(long, conflicts_with = "named")]
    live: bool,
    /// Print the report as Markdown
    #[arg(long, requires = "named")]
    md: bool,
}

/// What `goal runs` answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Reported {
    /// All of them.
    List(RunReports),
    /// The one that was named.
    #[serde(rename_all = "camelCase")]
    One {
        run: Box<RunReport>,
        /// What its turns left behind, on this machine.
        kept: Vec<Kept>,
    },
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let Some(named) = &args.named else {
        let runs = runs::runs(&call, args.live)?;
        let text = list(&runs.runs, args.live);
        return Reply::read(text, Reported::List(runs));
    };
    let (run, kept) = runs::one(&call, named)?;
    let text = report(&run, &kept, args.md);
    let run = Box::new(run);
    Reply::read(text, Reported::One { run, kept })
}
