//! When the lines of a ledger were last read from its store, and whether an append is left of which
//! nobody knows. Without this note nobody is told how old the file is, and no more is lost.

use std::fs;
use std::io;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use super::Paths;

/// The latest reading of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The ledger's name in the store.
    pub ledger: String,
    pub at: String,
    /// It is not known whether an append since then has happened.
    #[serde(default)]
    pub unsettled: bool,
}

impl Contact {
    /// The latest contact of this ledger, if it is known.
    pub fn read(paths: &Paths, ledger: &str) -> Option<Contact> {
        Contact::any(paths).filter(|contact| contact.ledger == ledger)
    }

    /// Notes that it is not known whether an append has happened.
    ///
    /// # Errors
    /// As [`Contact::keep`].
    pub fn unsettle(paths: &Paths) -> io::Result<()> {
        let Some(contact) = Contact::any(paths) else {
            return Ok(());
        };
        let unsettled = true;
        Contact {
            unsettled,
            ..contact
        }
        .keep(paths)
    }

    /// Forgets it: the ledger belongs to no store any more.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn forget(paths: &Paths) -> io::Result<()> {
        fs::remove_file(path(paths))
    }

    /// The latest contact of the ledger here, under whatever name.
    pub fn any(paths: &Paths) -> Option<Contact> {
        let text = fs::read_to_string(path(paths)).ok()?;
        serde_json::from_str(&text).ok()
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
