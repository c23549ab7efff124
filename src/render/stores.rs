//! How a ledger stands with the store that it belongs to, and which ledgers a store has.

use schemars::JsonSchema;
use serde::Serialize;

use crate::render::table::{Column, Tabled};
use crate::render::text::one_line;
use crate::render::work::ago;

/// How old the file is, as a replica of what a store has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreAge {
    /// The ledger's name in the store.
    pub ledger: String,
    /// When it was last read; null: not known.
    pub read_at: Option<String>,
}

/// `store acme/web: last read 3 minutes ago; …`, with its line end.
pub fn age(store: &StoreAge, now: i64) -> String {
    let ledger = one_line(&store.ledger);
    let read = read(store.read_at.as_deref(), now);
    format!("store {ledger}: {read}; `goal store pull` reads it now\n")
}

/// `last read 3 minutes ago`.
pub fn read(at: Option<&str>, now: i64) -> String {
    match at {
        Some(at) => format!("last read {}", ago(at, now)),
        None => "not read yet from here".to_owned(),
    }
}

/// A ledger of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredLedger {
    pub ledger: String,
    pub lines: u64,
    /// Its length in bytes.
    pub end: u64,
    /// When the last line was appended, by the store's clock; null of an empty one.
    pub at: Option<String>,
}

impl Tabled for StoredLedger {
    const COLUMNS: &'static [Column<StoredLedger>] = &[
        Column::left("ledger", "The ledger's name", |row: &StoredLedger, _| {
            one_line(&row.ledger).into()
        }),
        Column::right("lines", "How many lines it has", |row: &StoredLedger, _| {
            row.lines.to_string().into()
        }),
        Column::right("bytes", "How long it is", |row: &StoredLedger, _| {
            row.end.to_string().into()
        })
        .chosen(),
        Column::left(
            "written",
            "When the last line was appended",
            |row: &StoredLedger, now| row.at.as_deref().map(|at| ago(at, now)).into(),
        ),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_old_what_was_read_is() {
        let now = crate::domain::time::millis("2026-11-21T20:12:00.000Z").unwrap();
        let mut store = StoreAge {
            ledger: "acme/web".into(),
            read_at: Some("2026-11-21T20:09:00.000Z".into()),
        };
        assert_eq!(
            age(&store, now),
            "store acme/web: last read 3 minutes ago; `goal store pull` reads it now\n"
        );
        store.read_at = None;
        assert_eq!(
            age(&store, now),
            "store acme/web: not read yet from here; `goal store pull` reads it now\n"
        );
    }
}
