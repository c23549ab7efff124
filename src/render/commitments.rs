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

/// The commitments under a line of headings; where there are none, what to do.
pub fn commitments(all: &[Commitment]) -> String {
    if all.is_empty() {
        return "Nobody owes anything. `goal delegate --to OWNER OBJECTIVE` hands a part of a goal \
                on.\n"
            .to_owned();
    }
    let rows = all.iter().map(|it| {
        let owed_by = it.owed_by.as_deref().unwrap_or("nobody");
        let names = [owed_by, &it.owed_to].map(|name| fit(name, NAME));
        (it, names)
    });
    let rows: Vec<(&Commitment, [String; 2])> = rows.collect();
    let widest = |of: &dyn Fn(&(&Commitment, [String; 2])) -> usize| rows.iter().map(of).max();
    let by = widest(&|(_, names)| names[0].width())
        .unwrap_or(0)
        .max("who".len());
    let to = widest(&|(_, names)| names[1].width())
        .unwrap_or(0)
        .max("owes".len());
    let id = widest(&|(it, _)| it.goal_id.as_str().width().min(ID)).unwrap_or(0);
    let head = format!(
        "{}  {}  {}  {}  what",
        padded("who", by),
        padded("to", to),
        padded("goal", id),
        padded("status", 11)
    );
    let lines = rows.iter().map(|(it, names)| {
        format!(
            "{}  {}  {}  {}  {}\n",
            padded(&names[0], by),
            padded(&names[1], to),
            padded(it.goal_id.as_str(), id),
            status_column(it.status),
            fit(&it.goal, HEADING)
        )
    });
    format!("{}\n{}", styled(&head, DIM), lines.collect::<String>())
}
