//! How large the terminal is that a text is for.

use dialoguer::console::Term;

use crate::ops::call::Call;

/// Where nobody says how wide it is.
const COLUMNS: usize = 80;

/// A terminal narrower than this is written to as if it were so wide.
const NARROWEST: usize = 20;

/// Columns that a list to choose from takes before an item, and lines around the items.
const MARGIN: usize = 4;
const AROUND: usize = 4;

/// How many columns an item of a list to choose from has, and how many items have room: what is chosen
/// must be on the screen.
pub fn room_for_items() -> (usize, usize) {
    let (rows, columns) = Term::stderr().size();
    let (rows, columns): (usize, usize) = (rows.into(), columns.into());
    let items = rows.saturating_sub(AROUND).max(1);
    (columns.saturating_sub(MARGIN).max(1), items)
}

/// How many columns stdout has: the terminal's, else what `COLUMNS` says.
pub fn columns(call: &Call) -> usize {
    let environment = &call.workspace.environment;
    let of_terminal = Term::stdout()
        .size_checked()
        .map(|(_, columns)| columns.into());
    let columns = of_terminal.filter(|_| environment.terminals.stdout);
    let columns = columns.or(environment.columns).unwrap_or(COLUMNS);
    columns.max(NARROWEST)
}
