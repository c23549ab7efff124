//! Who owes what to whom, a line each.

use unicode_width::UnicodeWidthStr;

use crate::render::columns::{DIM, fit, padded, status_column, styled};
use crate::render::view::Commitment;

/// Widest name of an owner, in columns.
const NAME: usize = 24;
/// Widest id of a goal, in columns.
const ID: usize = 24;
/// Widest heading, in columns.
const HEADING: usize = 60;

/// A commitment with its names as they are shown.
struct Row<'a> {
    it: &'a Commitment,
    by: String,
    to: String,
}

impl Row<'_> {
    fn of(it: &Commitment) -> Row<'_> {
        Row {
            it,
            by: fit(it.owed_by.as_deref().unwrap_or("nobody"), NAME),
            to: fit(&it.owed_to, NAME),
        }
    }
}

/// The commitments under a line of headings; where there are none, what to do.
pub fn commitments(all: &[Commitment]) -> String {
    if all.is_empty() {
        return "No delegated goals are open. `goal delegate …` delegates a part of a goal.\n"
            .to_owned();
    }
    let rows: Vec<Row<'_>> = all.iter().map(Row::of).collect();
    let widest = |head: &str, cells: fn(&Row<'_>) -> usize| {
        let widest = rows.iter().map(cells).max().unwrap_or(0);
        widest.max(head.width())
    };
    let by = widest("who", |row| row.by.width());
    let to = widest("to", |row| row.to.width());
    let id = widest("goal", |row| row.it.goal_id.as_str().width().min(ID));
    let head = format!(
        "{}  {}  {}  {}  what",
        padded("who", by),
        padded("to", to),
        padded("goal", id),
        padded("status", 11)
    );
    let lines = rows.iter().map(|row| {
        format!(
            "{}  {}  {}  {}  {}\n",
            padded(&row.by, by),
            padded(&row.to, to),
            padded(row.it.goal_id.as_str(), id),
            status_column(row.it.status),
            fit(&row.it.goal, HEADING)
        )
    });
    format!("{}\n{}", styled(&head, DIM), lines.collect::<String>())
}
