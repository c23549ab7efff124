//! `goal list`: which goals there are, by how they stand.

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::columns::ColumnsArg;
use crate::cli::screen::{columns, tabled};
use crate::domain::attention::Standing;
use crate::domain::goal::state::Status;
use crate::domain::select::TitleWords;
use crate::ops;
use crate::ops::list::ListRequest;
use crate::ops::list::sort::Sort;
use crate::ops::store::Stored;
use crate::render::list::{Listing, list as text};
use crate::render::stores::{StoredLedger, age};
use crate::render::view::GoalRow;
use crate::transaction::place::is_missing;

/// So many goals are listed where nobody says how many.
const LIMIT: usize = 50;

/// List the open goals, grouped by standing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Goals are grouped by standing; those that need you come first. Within a group they are ordered by \
priority, then by creation. If you sort by anything else, they are not grouped. AGE is the time \
since the last event of a goal. A terminal shows in bold the part of an id that is enough to name \
its goal. Empty columns are left out. A narrow terminal leaves out more columns and names them.

At most 50 goals are listed, also in JSON, where `beyondLimit` is the number of the others; \
`--limit 0` lists all.

Reading changes nothing, not even a lock file.

Examples:
  goal list auth token
  goal list --owner claude-1 --stuck
  goal list --status paused --status blocked
  goal list --sort cost --columns id,title,cost")]
pub struct List {
    /// Only goals whose titles have all these words
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Include ended goals
    #[arg(long)]
    all: bool,
    /// Only goals that are active, paused, blocked, complete, aborted, failed or abandoned; may
    /// be repeated
    #[arg(long, value_name = "S", value_parser = a_status)]
    status: Vec<Status>,
    /// Only goals with this standing: waiting, contested, blocked, auditing, live, stuck, quiet,
    /// resting or ended; may be repeated
    #[arg(long, value_name = "S", value_parser = a_standing)]
    standing: Vec<Standing>,
    /// Only stuck goals: the same as `--standing stuck`
    #[arg(long)]
    stuck: bool,
    /// Only goals of this owner
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
    /// The order of the goals [default: standing]
    #[arg(long, value_name = "KEY", value_enum, hide_possible_values = false)]
    sort: Option<Sort>,
    /// At most this many goals; 0 for all [default: 50]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<usize>,
    /// List the ledgers of your store instead of this project's goals (docs/stores.md)
    #[arg(long, conflicts_with_all = ["words", "all", "status", "standing", "stuck", "owner", "sort", "limit"])]
    pub store: bool,
    #[command(flatten)]
    columns: ColumnsArg<GoalRow, StoredLedger>,
}

fn a_status(word: &str) -> Result<Status, String> {
    if let Some(status) = Status::named(word) {
        return Ok(status);
    }
    // The words of the tools that goals come from.
    let meant = match word {
        "achieved" | "completed" | "done" => Some(Status::Complete),
        "cancelled" | "canceled" | "cleared" => Some(Status::Aborted),
        "open" => {
            let message = "open are active, paused and blocked goals, which are listed without it";
            return Err(message.into());
        }
        "running" => Some(Status::Active),
        _ => None,
    };
    let names: Vec<&str> = Status::ALL.into_iter().map(Status::name).collect();
    Err(match meant {
        Some(status) => format!("the word here is `{}`", status.name()),
        None => format!("expected one of {}", names.join(", ")),
    })
}

fn a_standing(word: &str) -> Result<Standing, String> {
    Standing::named(word).ok_or_else(|| {
        let names: Vec<&str> = Standing::ALL.into_iter().map(Standing::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl List {
    fn asked(&self, globals: &Globals, terminal: bool) -> ListRequest {
        let mut standings = self.standing.clone();
        if self.stuck {
            standings.push(Standing::Stuck);
        }
        ListRequest {
            all: self.all,
            statuses: self.status.clone(),
            standings,
            owner: self.owner.clone(),
            words: TitleWords::of(&self.words.join(" ")),
            sort: self.sort.unwrap_or(Sort::Standing),
            limit: Some(self.limit.unwrap_or(LIMIT)).filter(|limit| *limit > 0),
            shortest_ids: terminal && !globals.json,
        }
    }
}

pub fn list(args: &List, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.store {
        return ledgers(args, &call);
    }
    let shown = args.columns.of()?;
    let asked = args.asked(globals, call.workspace.environment.terminals.stdout);
    let listed = ops::list::list(&call, &asked)?;
    // A project can have thousands of goals: only what is printed is made.
    if globals.json {
        return Reply::read("", listed);
    }
    let filtered = !asked.statuses.is_empty()
        || !asked.standings.is_empty()
        || asked.owner.is_some()
        || !asked.words.is_empty();
    let mut text = text(&Listing {
        rows: &listed.goals,
        counts: &listed.counts,
        standings: &listed.standings,
        filtered,
        grouped: asked.sort == Sort::Standing,
        columns: &shown,
        width: columns(&call),
        beyond: listed.beyond_limit,
        onlooker: call.onlooker(),
        lost: listed.counts.is_empty() && is_missing(&call.workspace),
    });
    if let Some(store) = &listed.store {
        text += &age(store, call.workspace.environment.now_millis());
    }
    // The process ends with this: to give the rows back one by one would only take time.
    std::mem::forget(listed);
    Reply::read(text, ())
}

fn ledgers(args: &List, call: &Call) -> Result<Done, Failure> {
    let shown = args.columns.of()?;
    let outcome = Stored {
        ledgers: ops::store::ledgers(call)?,
        ..Stored::default()
    };
    let rows = &outcome.ledgers;
    let text = match rows.is_empty() {
        true => "The store has no ledgers: `goal store init NAME` makes one.\n".to_owned(),
        false => tabled(call, &shown, rows),
    };
    Reply::read(text, outcome)
}
