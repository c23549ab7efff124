//! `goal log`: the ledger's lines as they stand.

use std::io;
use std::time::Duration;

use super::{Call, Done, Exit, Failure, Globals};
use crate::cli::print;
use crate::ledger::follow::Look;
use crate::ops::log::{Asked, Log, Since};
use crate::render::log::LogLine;

/// Show the ledger's events, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns: line, time, goal, type, actor, text. With --goal only the events of that \
goal, also of an ended one.

With --json a line is the stored object plus `id` and `line`. A line that cannot be used is \
{line, id, malformed: true, code, message, text}. An error is one last line {\"ok\": false, …}.

A reader in steps passes the `id` of the last event it has seen, or the number of bytes it has \
read, to --since. Lines come whole: one that is still being written comes with the next call. An \
offset within a line means that line, one past the end of the file means its last newline.

Example:
  goal log --follow --json --limit 0 | jq -r '.type'")]
pub struct Args {
    /// At most so many events: the latest, or with --since the first after it [default: 20, with
    /// --since all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only events after the one with this id, or from this offset in bytes on
    #[arg(long, value_name = "ID|OFFSET")]
    since: Option<Since>,
    /// Go on with what is appended, until interrupted
    #[arg(long)]
    follow: bool,
}

/// How often a follower looks.
const INTERVAL: Duration = Duration::from_millis(200);

const LATEST: usize = 20;

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.follow && args.since.is_some() && args.limit.is_some() {
        return Err(Failure::usage(
            "--limit with both --since and --follow would leave a gap",
            "leave out --limit, or --follow",
        ));
    }
    let asked = Asked {
        limit: args.limit.or(args.since.is_none().then_some(LATEST)),
        since: args.since,
    };
    let mut log = Log::open(&call)?;
    let lines = match args.follow {
        true => log.begin(&asked)?,
        false => log.read(&asked)?,
    };
    if lines.is_empty() && !args.follow && !globals.json {
        print::complain("no events to show");
    }
    let mut printed = print_all(&lines, globals.json)?;
    while args.follow && printed.is_ok() && !print::reader_leaves(INTERVAL) {
        let (lines, look) = log.follow()?;
        if look == Look::Lost {
            print::complain(
                "note: the ledger was shortened or replaced; going on from its end, some events \
                 may be missing here",
            );
        }
        printed = print_all(&lines, globals.json)?;
    }
    Ok(Done::Printed(match printed {
        Ok(()) => Exit::Done,
        Err(error) => print::unread(&error, Exit::Done),
    }))
}

fn print_all(lines: &[LogLine], json: bool) -> Result<io::Result<()>, Failure> {
    let mut text = String::new();
    for line in lines {
        match json {
            true => text.push_str(&line.json().map_err(|error| Failure::internal(&error))?),
            false => text.push_str(&line.plain()),
        }
        text.push('\n');
    }
    Ok(match text.is_empty() {
        true => Ok(()),
        false => print::stdout(&text),
    })
}
