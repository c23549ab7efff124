//! Who owes what to whom, a line each.

use crate::render::columns::{DIM, fit, padded, status_column, styled, width};
use crate::render::view::Commitment;

/// Widest name of an owner, and the most that an id widens its column, in columns.
const NAME: usize = 24;
/// Widest heading, in columns.
const HEADING: usize = 60;

/// The commitments under a line of headings; where there are none, what to do.
pub fn commitments(all: &[Commitment]) -> String {
    if all.is_empty() {
        return "No delegated goals are open. `goal delegate …` delegates a part of a goal.\n"
            .to_owned();
    }
    let names = all.iter().map(|it| {
        let by = fit(it.owed_by.as_deref().unwrap_or("nobody"), NAME);
        [by, fit(&it.owed_to, NAME), it.goal_id.to_string()]
    });
    let names: Vec<[String; 3]> = names.collect();
    let heads = ["who", "to", "goal"].map(str::to_owned);
    let widest = |at: usize| {
        let cells = names.iter().map(|row| width(&row[at]).min(NAME));
        cells.max().unwrap_or(0).max(heads[at].len())
    };
    let widest = [widest(0), widest(1), widest(2)];
    let line = |names: &[String; 3], status: &str, what: &str| {
        let cells = names.iter().zip(widest);
        let cells: String = cells
            .map(|(name, widest)| padded(name, widest) + "  ")
            .collect();
        format!("{cells}{status}  {what}")
    };
    let head = styled(&line(&heads, &padded("status", 11), "what"), DIM);
    let lines = all.iter().zip(&names).map(|(it, names)| {
        let what = fit(&it.goal, HEADING);
        line(names, &status_column(it.status), &what) + "\n"
    });
    format!("{head}\n{}", lines.collect::<String>())
}
