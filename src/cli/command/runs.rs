//! `goal runs`: which runs there were, and the report of one.

mod text;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Done, Exit, Failure, Globals, Reply};
use crate::cli::columns::ColumnsArg;
use crate::cli::print;
use crate::cli::screen::{fitted, tabled};
use crate::domain::history::RunReport;
use crate::ops::follow_run::{FollowedNews, FollowedRun};
use crate::ops::runs::{self, Kept, RunReports};
use text::{news, none, report};

/// List the runs, or report on one: its turns, and why it stopped
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Times are UTC. Prompts and output of the latest 50 runs are kept beside the \
ledger, outside of git; the report names the directory.

--follow prints what the agent of a run writes, as it comes: its words, and which tool it uses on \
what. It starts with the current turn, or the last one, and ends when the run ends.

Examples:
  goal runs --live
  goal runs --follow
  goal runs last --md"
)]
pub struct Args {
    /// A run: its id, a beginning of it, or `last` [default: list all]
    #[arg(value_name = "RUN", conflicts_with = "columns")]
    named: Option<String>,
    /// Only current runs, and runs of other machines whose end is not recorded
    #[arg(long, conflicts_with = "named")]
    live: bool,
    /// Print the report as Markdown
    #[arg(long, requires = "named")]
    md: bool,
    /// Print what the agent writes as it comes, until the run ends [default RUN: the latest current
    /// run]
    #[arg(long, short = 'f', conflicts_with_all = ["live", "md", "columns"])]
    follow: bool,
    #[command(flatten)]
    columns: ColumnsArg<RunReport>,
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

/// How often a run that is followed is looked at.
const INTERVAL: Duration = Duration::from_millis(300);

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.follow {
        return follow(args, &call, globals);
    }
    let Some(named) = &args.named else {
        let shown = args.columns.of()?;
        let runs = runs::runs(&call, args.live)?;
        let text = match runs.runs.is_empty() {
            true => none(args.live),
            false => tabled(&call, &shown, &runs.runs),
        };
        return Reply::read(text, Reported::List(runs));
    };
    let (run, kept) = runs::one(&call, named)?;
    let text = report(&run, &kept, args.md, call.onlooker().now);
    // Markdown is broken by whoever shows it.
    let text = if args.md { text } else { fitted(&call, &text) };
    let run = Box::new(run);
    Reply::read(text, Reported::One { run, kept })
}

/// Prints what a run's agent writes, until the run is over or nobody reads any more.
fn follow(args: &Args, call: &Call, globals: &Globals) -> Result<Done, Failure> {
    if globals.json {
        return Err(Failure::usage(
            "`--follow` prints what an agent writes, which is no JSON of ours",
            "leave out --json; `goal log --follow --json` follows the ledger",
        ));
    }
    let mut run = FollowedRun::begin(call, args.named.as_deref())?;
    loop {
        for new in run.look()? {
            if let Err(error) = print::stdout(&news(&new, call.onlooker().now)) {
                return Ok(Done::Printed(print::unread(&error, Exit::Done)));
            }
            if matches!(new, FollowedNews::Over(_)) {
                return Ok(Done::Printed(Exit::Done));
            }
        }
        if print::reader_leaves(INTERVAL) {
            return Ok(Done::Printed(Exit::Done));
        }
    }
}
