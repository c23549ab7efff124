//! When the store of a ledger was last asked. Only a note for people: nothing depends on it.

use std::fs;
use std::io;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::Paths;

/// When a store was last asked, and how far its ledger went then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The ledger's name in the store.
    pub ledger: String,
    pub at: String,
    /// The store's end then, in bytes.
    pub end: u64,
}

impl Contact {
    /// The latest contact of this ledger, if it is known.
    pub fn read(paths: &Paths, ledger: &str) -> Option<Contact> {
        let text = fs::read_to_string(path(paths)).ok()?;
        let contact: Contact = serde_json::from_str(&text).ok()?;
        (contact.ledger == ledger).then_some(contact)
    }

    /// Keeps it. The file is written under another name first, so that nobody reads half of it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn keep(&self, paths: &Paths) -> io::Result<()> {
        let path = path(paths);
        paths.create_locks().map_err(io::Error::other)?;
        let temporary = format!("{path}.tmp-{}", std::process::id());
        fs::write(&temporary, serde_json::to_string(self)?)?;
        fs::rename(temporary, path)
    }
}

/// Git does not track it there.
fn path(paths: &Paths) -> Utf8PathBuf {
    paths.locks().join("store.json")
}
