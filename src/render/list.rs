//! The listing of goals: a line each, the id first, since it is what one copies.

mod cells;
mod remarks;

use std::collections::BTreeMap;

use crate::domain::attention::Standing;
use crate::domain::goal::state::Status;
use crate::render::columns::{BOLD, DIM, styled, wrapped};
use crate::render::table::{Columns, Table};
use crate::render::text::count;
use crate::render::view::GoalRow;
use crate::render::work::Onlooker;

use remarks::{placed, remarks};

/// A listing with what stands around it.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    pub rows: &'a [GoalRow],
    /// How many goals the project has of each status.
    pub counts: &'a BTreeMap<Status, u64>,
    /// How many of the goals that were asked for stand how, those that are not among the rows too.
    pub standings: &'a BTreeMap<Standing, u64>,
    /// Not all open goals were asked for, or others too.
    pub filtered: bool,
    /// The rows are in order of their standing: each group has a heading.
    pub grouped: bool,
    pub columns: &'a Columns<GoalRow>,
    /// How many columns the terminal has.
    pub width: usize,
    /// How many more goals there are.
    pub beyond: u64,
    pub onlooker: Onlooker<'a>,
    /// The project had a ledger, which is not here.
    pub lost: bool,
}

/// The rows and a line of counts; where there are no rows, what to do.
pub fn list(listing: &Listing<'_>) -> String {
    if listing.counts.is_empty() {
        return no_goals(listing.lost).to_owned();
    }
    let counts = counts(listing.counts);
    if listing.rows.is_empty() {
        let (none, more) = match listing.filtered {
            true => ("No goal matches", "`goal list --all` shows every goal"),
            false => ("No goal is open", "`goal list --all` shows the ended ones"),
        };
        return format!("{none}: {counts}. {more}.\n");
    }
    let table = table(listing);
    let mut text = table.heading();
    match listing.grouped {
        true => groups(&mut text, listing, &table),
        false => add(&mut text, &table, listing.rows, listing.onlooker),
    }
    text.push('\n');
    let mut below = Vec::new();
    if listing.beyond > 0 {
        let more = count(listing.beyond, "more goal");
        below.push(format!("{more}: `goal list --limit 0` shows all"));
    }
    below.extend(table.left_out());
    below.push(counts);
    for line in below.iter().flat_map(|it| wrapped(it, listing.width, 4)) {
        text.extend([&styled(&line, DIM), "\n"]);
    }
    text
}

/// The rows alone, each with its line end.
pub fn rows(rows: &[GoalRow], onlooker: Onlooker<'_>, width: usize) -> String {
    let columns = usual(rows, &Columns::usual(), false);
    let table = Table::of(&columns, rows, width, onlooker.now);
    let mut text = String::new();
    add(&mut text, &table, rows, onlooker);
    text
}

fn table(listing: &Listing<'_>) -> Table<GoalRow> {
    let columns = usual(listing.rows, listing.columns, listing.grouped);
    Table::of(&columns, listing.rows, listing.width, listing.onlooker.now)
}

/// The columns that say something where nobody chooses them: the standing where no heading says it, the
/// status where the standing does not.
fn usual(rows: &[GoalRow], columns: &Columns<GoalRow>, grouped: bool) -> Columns<GoalRow> {
    let vague = |row: &GoalRow| matches!(row.standing, Standing::Ended | Standing::Contested);
    let any_vague = rows.iter().any(vague);
    columns.clone().only(|name| match name {
        "standing" => !grouped,
        "status" => any_vague,
        _ => true,
    })
}

/// Adds the rows, each with what is to be remarked about it.
fn add<'a>(
    text: &mut String,
    table: &Table<GoalRow>,
    rows: impl IntoIterator<Item = &'a GoalRow>,
    onlooker: Onlooker<'_>,
) {
    let shows_audits = table.has("audits");
    for row in rows {
        let taken = table.row(text, row);
        let remarks = remarks(row, shows_audits, onlooker);
        match remarks.is_empty() {
            true => text.push('\n'),
            false => {
                let from = table.empty_end(row).map_or(taken, |end| end.max(taken));
                text.push_str(&placed(&remarks, taken, from, table.width()));
            }
        }
    }
}

/// What is said where no goal is known.
pub(super) fn no_goals(lost: bool) -> &'static str {
    match lost {
        true => {
            "The ledger is missing, so its goals cannot be shown. `goal doctor` says how it comes \
             back.\n"
        }
        false => {
            "No goals yet. `goal set OBJECTIVE` creates one at once, `goal draft TOPIC` begins \
             with a discussion.\n"
        }
    }
}

/// The rows by standing, each group under its heading, in the order of [`Standing::ALL`].
fn groups(text: &mut String, listing: &Listing<'_>, table: &Table<GoalRow>) {
    for standing in Standing::ALL {
        let group = || listing.rows.iter().filter(|row| row.standing == standing);
        let shown = group().count() as u64;
        if shown == 0 {
            continue;
        }
        let size = match listing.standings.get(&standing) {
            Some(all) if *all > shown => format!("{shown} of {all}"),
            _ => shown.to_string(),
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.extend([&styled(&format!("{standing} ({size})"), BOLD), "\n"]);
        add(text, table, group(), listing.onlooker);
    }
}

/// `2 open (1 active, 1 paused), 3 ended (3 complete)`.
pub(super) fn counts(counts: &BTreeMap<Status, u64>) -> String {
    let part = |open: bool, name: &str| {
        let all = counts.iter().filter(|(status, _)| status.is_open() == open);
        let (mut sum, mut each) = (0, Vec::new());
        for (status, count) in all {
            sum += count;
            each.push(format!("{count} {}", status.name()));
        }
        match sum {
            0 => format!("0 {name}"),
            _ => format!("{sum} {name} ({})", each.join(", ")),
        }
    };
    format!("{}, {}", part(true, "open"), part(false, "ended"))
}

#[cfg(test)]
mod tests;
