//! `goal report`: what happened and how it stands, as a digest, as Markdown, or as a page.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::person::{agrees, can_be_asked};
use crate::cli::screen::fitted;
use crate::domain::actor::Actor;
use crate::domain::report::Report;
use crate::domain::report::window::Since;
use crate::ops::report::{self as ops, ReportRequest, Written};
use crate::render::report::{digest, markdown, page};
use crate::render::text::one_line;

/// Show what happened, and the current state
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times are UTC. WHEN is `last` (your last look), a duration back from now (`45m`, `8h`, `2d`), a \
day or a time. A report counts as your last look if it is printed at a terminal, or with --mark.

--json prints one document, `goal/report/1`; the text, the Markdown and the page are made from it.

Examples:
  goal report
  goal report --since last
  goal report --since 8h --md > night.md
  goal report --html report.html")]
pub struct Args {
    /// The beginning of the report [default: 24h]
    #[arg(long, value_name = "WHEN", value_parser = Since::read, conflicts_with = "all")]
    since: Option<Since>,
    /// Report on every goal, from the first line of the ledger
    #[arg(long)]
    all: bool,
    /// Print Markdown
    #[arg(long)]
    md: bool,
    /// Write an HTML page to this file, or print it with `-`; the page needs no other file
    #[arg(long, value_name = "FILE", conflicts_with = "md")]
    html: Option<String>,
    /// Replace the file without a question, even if it is not a page of `goal report`
    #[arg(long, requires = "html")]
    force: bool,
    /// Leave out the words of people and agents (titles, reports, questions, commits); keep ids
    #[arg(long)]
    redact: bool,
    /// Count this as your last look, although it is not printed at a terminal (user only)
    #[arg(long)]
    mark: bool,
}

/// What `goal report` answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Reported {
    /// The document.
    Report(Box<Report>),
    /// The page was written to a file.
    Written(Written),
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let usual = if args.all { Since::All } else { Since::Usual };
    let report = ops::report(
        &call,
        ReportRequest {
            since: args.since.unwrap_or(usual),
            all: args.all,
            redact: args.redact,
        },
    )?;
    let is_user = call.caller.actor == Actor::User && !globals.json && call.goal.is_none();
    if args.mark {
        ops::mark(&call, &report)?;
    } else if is_user && call.workspace.environment.terminals.stdout {
        // Without it the next report begins earlier.
        let _best_effort = ops::mark(&call, &report);
    }
    let Some(file) = &args.html else {
        let text = match args.md {
            true => markdown(&report),
            false => fitted(&call, &digest(&report)),
        };
        return document(text, args, report);
    };
    let page = page(&report).map_err(|error| Failure::internal(&error))?;
    if file == "-" {
        return document(page, args, report);
    }
    let may_replace = |refused: Failure| match can_be_asked(&call, globals) {
        _ if args.force => Ok(()),
        true => {
            let question = format!("{}. Replace it?", refused.message);
            agrees(&question, "nothing was written", &refused.hint)
        }
        false => Err(refused),
    };
    let written = ops::write(&call, file, &page, may_replace)?;
    let kilobytes = written.bytes.div_ceil(1024);
    let text = format!("Wrote {} ({kilobytes} KiB)\n", one_line(&written.path));
    Reply::read(text, Reported::Written(written))
}

fn document(text: String, args: &Args, report: Report) -> Result<Done, Failure> {
    let reply = Reply::new(text, Reported::Report(Box::new(report)));
    Ok(Done::Reply(Reply {
        without_root: args.redact,
        ..reply
    }))
}
