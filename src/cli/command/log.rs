//! `goal log`: the ledger's lines, as they stand or in the order of replay.

use std::io;
use std::time::Duration;

use super::{Call, Done, Exit, Failure, Globals};
use crate::cli::print;
use crate::domain::actor::Actor;
use crate::domain::event::Payload;
use crate::domain::report::window;
use crate::ledger::follow::Look;
use crate::ops::log::{Filter, Log, LogRequest, Since};
use crate::ops::report::{ahead, looked};
use crate::render::log::{LogLine, reset};

/// Show the ledger's events, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns: line, time, goal, type, actor, text. --goal shows only the events of that goal, also of \
an ended one. `line` is the number of the line in the file. After a git merge the events are shown \
in the order in which they count; with --json, --since and --follow always in the order of the \
file.

With --json each line is the stored object plus `id` and `line`. A line that cannot be used is \
printed as {line, id, malformed: true, code, message, text}. An error is a last line {\"ok\": \
false, …}.

If git has changed the beginning of the file, --follow prints {reset: true, gone, message}, then \
every line that it has not printed or skipped before. `gone` is the number of those lines that the \
file no longer has.

To read in steps, pass to --since the `id` of the last event that you have seen, or the number of \
bytes that you have read. Only whole lines are printed: a line that is still being written comes \
with the next call. An offset inside a line means that line; an offset after the end of the file \
means its last newline.

TIME is `8h`, `2d`, `yesterday`, a day in UTC, a time, or `last`: your last look at a report.

Examples:
  goal log --type audit --since 2d
  goal log --by user --since yesterday
  goal log --follow --json --limit 0 | jq -r '.type'")]
pub struct Args {
    /// At most this many events: the latest ones; with --since, the first ones after it [default:
    /// 20; with --since, all]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// Only events since this time, after the event with this id, or from this offset in bytes
    #[arg(long, value_name = "TIME|ID|OFFSET", value_parser = a_beginning)]
    since: Option<Beginning>,
    /// Only events whose type is this, or begins with this; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = a_type)]
    types: Vec<String>,
    /// Only events of this actor: user, agent, auditor or system; may be repeated
    #[arg(long, value_name = "ACTOR", value_parser = an_actor)]
    by: Vec<Actor>,
    /// Print new events as they are appended, until interrupted
    #[arg(long)]
    follow: bool,
}

/// Where the events begin.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    Place(Since),
    Time(window::Since),
}

fn a_beginning(text: &str) -> Result<Beginning, String> {
    if let Ok(place) = text.parse() {
        return Ok(Beginning::Place(place));
    }
    window::Since::read(text)
        .map(Beginning::Time)
        .map_err(|times| {
            format!("{times}; or an event's id (32 hex digits), or an offset in bytes")
        })
}

fn a_type(text: &str) -> Result<String, String> {
    let known = Payload::NAMES.iter().any(|name| name.starts_with(text));
    match known && !text.is_empty() {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "no event is called so; there are {}",
            Payload::NAMES.join(", ")
        )),
    }
}

fn an_actor(text: &str) -> Result<Actor, String> {
    let names = || Actor::ALL.map(Actor::name).join(", ");
    Actor::named(text).ok_or_else(|| format!("expected one of {}", names()))
}

impl Args {
    /// Which events are shown.
    fn filter(&self, call: &Call) -> Result<Filter, Failure> {
        let from = match self.since {
            Some(Beginning::Time(since)) => {
                let now = call.workspace.environment.now_millis();
                since.moment(looked(call), now).map_err(ahead)?
            }
            _ => None,
        };
        Ok(Filter {
            types: self.types.clone(),
            by: self.by.clone(),
            from,
        })
    }
}

/// How often a follower looks.
const INTERVAL: Duration = Duration::from_millis(200);

const LATEST: usize = 20;

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let place = match args.since {
        Some(Beginning::Place(place)) => Some(place),
        _ => None,
    };
    if args.follow && args.since.is_some() && args.limit.is_some() {
        return Err(Failure::usage(
            "--limit with both --since and --follow would leave a gap",
            "leave out --limit, or --follow",
        ));
    }
    let asked = LogRequest {
        limit: args.limit.or(args.since.is_none().then_some(LATEST)),
        since: place,
    };
    let mut log = Log::open(&call, args.filter(&call)?)?;
    let lines = match args.follow {
        true => log.begin(&asked)?,
        // Who reads on by number or offset needs the order of the file.
        false if globals.json || place.is_some() => log.read(&asked)?,
        false => log.replayed(&call, asked.limit)?,
    };
    if lines.is_empty() && !args.follow && !globals.json {
        print::complain("no events to show");
    }
    let mut printed = print_all(&lines, globals.json)?;
    while args.follow && printed.is_ok() && !print::reader_leaves(INTERVAL) {
        let (lines, look) = log.follow()?;
        printed = match look {
            Look::Whole => Ok(()),
            Look::Reset { gone } => tell_reset(gone, globals.json)?,
        };
        if printed.is_ok() {
            printed = print_all(&lines, globals.json)?;
        }
    }
    Ok(Done::Printed(match printed {
        Ok(()) => Exit::Done,
        Err(error) => print::unread(&error, Exit::Done),
    }))
}

/// Says that the file begins in another way. Whoever reads JSON hears it among the lines, since all
/// that follows is to be taken after it.
fn tell_reset(gone: u64, json: bool) -> Result<io::Result<()>, Failure> {
    let told = reset(gone);
    if !json {
        print::complain(&format!("note: {}", told.message));
        return Ok(Ok(()));
    }
    let line = told.json().map_err(|error| Failure::internal(&error))?;
    Ok(print::stdout(&format!("{line}\n")))
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
