//! How a ledger stands with the store that it belongs to.

use schemars::JsonSchema;
use serde::Serialize;

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

/// `last written 3 minutes ago`.
pub fn wrote(at: &str, now: i64) -> String {
    format!("last written {}", ago(at, now))
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
