//! How large the terminal is that a text is for.

use dialoguer::console::Term;

use crate::ops::call::Call;
use crate::render::columns::within;
use crate::render::table::{Columns, Table, Tabled};

/// Where nobody says how wide it is.
const COLUMNS: usize = 80;

/// A terminal narrower than this is written to as if it were so wide.
const NARROWEST: usize = 20;

/// How many columns the terminal has on which a person is asked.
pub fn width() -> usize {
    let (_, columns) = Term::stderr().size();
    usize::from(columns).max(NARROWEST)
}

/// How many columns stdout has: the terminal's, else what `COLUMNS` says.
pub fn columns(call: &Call) -> usize {
    known_columns(call).unwrap_or(COLUMNS)
}

/// The same, where it is known.
pub fn known_columns(call: &Call) -> Option<usize> {
    let environment = &call.workspace.environment;
    let of_terminal = Term::stdout()
        .size_checked()
        .map(|(_, columns)| columns.into());
    let columns = of_terminal.filter(|_| environment.terminals.stdout);
    let columns = columns.or(environment.columns);
    columns.map(|columns| columns.max(NARROWEST))
}

/// The text in lines that stdout has room for, where it is known how much: broken between words.
pub fn fitted(call: &Call, text: &str) -> String {
    known_columns(call).map_or_else(|| text.to_owned(), |columns| within(text, columns))
}

/// The rows as a table under its heading, as wide as stdout.
pub fn tabled<R: Tabled>(call: &Call, shown: &Columns<R>, rows: &[R]) -> String {
    let now = call.workspace.environment.now_millis();
    Table::of(shown, rows, columns(call), now).text(rows)
}

/// The same; where nobody knows how wide stdout is, each row on one line without a heading, as programs
/// read it.
pub fn tabled_or_plain<R: Tabled>(call: &Call, shown: &Columns<R>, rows: &[R]) -> String {
    match known_columns(call) {
        Some(_) => tabled(call, shown, rows),
        None => {
            let now = call.workspace.environment.now_millis();
            Table::of(shown, rows, usize::MAX, now).rows(rows)
        }
    }
}
