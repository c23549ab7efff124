//! `goal log`: the ledger's lines, as they stand or in the order of replay.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::{Call, Done, Exit, Failure, Globals};
use crate::cli::columns::ColumnsArg;
use crate::cli::pager::Paging;
use crate::cli::print;
use crate::cli::screen::known_columns;
use crate::domain::actor::Actor;
use crate::domain::event::Payload;
use crate::domain::report::window;
use crate::ledger::follow::{INTERVAL, Look};
use crate::ledger::position::Position;
use crate::ops::log::{Filter, Log, LogRequest, place, titles};
use crate::ops::report::{ahead, looked};
use crate::render::log::{LogLine, Logged, reset};
use crate::render::table::{Columns, Table};

/// Show the ledger's events, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With --goal only the events of that goal, also of an ended one. `line` is the number of the line in \
the file. Where the width of stdout is known, a heading names the columns, and if several goals are \
listed, the first of the lines of a goal has its title. After a git merge the events are shown in the order in \
which they count; with --json, --since and --follow always in the order of the file.

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
    #[command(flatten)]
    columns: ColumnsArg<Logged>,
}

/// Where the events begin.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    Place(Position),
    Time(window::Since),
}

fn a_beginning(text: &str) -> Result<Beginning, String> {
    if let Ok(place) = place(text) {
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
    let printer = Printer::of(args, &call, globals)?;
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
    let mut printed = printer.print(lines, true)?;
    while args.follow && printed.is_ok() && !print::reader_leaves(INTERVAL) {
        let (lines, look) = log.follow()?;
        printed = match look {
            Look::Whole => Ok(()),
            Look::Reset { gone } => tell_reset(gone, globals.json)?,
        };
        if printed.is_ok() {
            printed = printer.print(lines, false)?;
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

/// How lines are printed.
struct Printer<'a> {
    call: &'a Call,
    json: bool,
    shown: Columns<Logged>,
    /// How many columns stdout has, where that is known.
    width: Option<usize>,
    /// More lines come later.
    goes_on: bool,
    paging: Paging,
}

impl<'a> Printer<'a> {
    fn of(args: &Args, call: &'a Call, globals: &Globals) -> Result<Printer<'a>, Failure> {
        Ok(Printer {
            call,
            json: globals.json,
            shown: args.columns.of()?,
            width: known_columns(call),
            goes_on: args.follow,
            paging: Paging::of(
                Some(&call.workspace.environment),
                !(args.follow || globals.json || globals.no_pager),
            ),
        })
    }

    fn print(&self, lines: Vec<LogLine>, is_first: bool) -> Result<io::Result<()>, Failure> {
        let text = match self.json {
            true => json(&lines)?,
            false => self.text(lines, is_first)?,
        };
        Ok(match text.is_empty() || self.paging.shows(&text) {
            true => Ok(()),
            false => print::stdout(&text),
        })
    }

    /// The lines as a table. Where nobody knows how wide stdout is, each is on one line without a heading,
    /// as programs read it.
    fn text(&self, lines: Vec<LogLine>, is_first: bool) -> Result<String, Failure> {
        let titled = self.is_titled(&lines);
        let titles = if titled {
            titles(self.call)?
        } else {
            BTreeMap::new()
        };
        let mut rows: Vec<Logged> = Vec::new();
        for line in lines {
            let goal = line.goal_id();
            // Said once of several lines of a goal, and not where the line itself says it.
            let is_new = rows.last().is_none_or(|it| it.line.goal_id() != goal);
            let is_said = is_new && !line.is_creation() || self.shown.has_chosen("title");
            let title = goal.and_then(|it| titles.get(it)).filter(|_| is_said);
            rows.push(Logged {
                title: title.cloned(),
                line,
            });
        }
        let width = self.width.unwrap_or(usize::MAX);
        let shown = self.shown.clone().only(|name| titled || name != "title");
        let table = Table::of(&shown, &rows, width, self.call.onlooker().now);
        Ok(match (self.width.is_some() && is_first, self.goes_on) {
            (false, _) => table.rows(&rows),
            (true, true) => table.heading() + &table.rows(&rows),
            (true, false) if rows.is_empty() => String::new(),
            (true, false) => table.text(&rows),
        })
    }

    /// Whether a line says what its goal is called: where somebody asks for it, and where several goals are
    /// listed for a person.
    fn is_titled(&self, lines: &[LogLine]) -> bool {
        let goals: BTreeSet<_> = lines.iter().filter_map(LogLine::goal_id).collect();
        let several = goals.len() > 1 || self.goes_on && self.call.goal.is_none();
        self.shown.has_chosen("title") || self.width.is_some() && several
    }
}

fn json(lines: &[LogLine]) -> Result<String, Failure> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.json().map_err(|error| Failure::internal(&error))?);
        text.push('\n');
    }
    Ok(text)
}
