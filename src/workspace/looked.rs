//! When this user looked at a report of a project the last time. Kept in the user's state directory,
//! never in the ledger: that somebody looked is no fact of the project.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::dirs::{put, read_json, record};

/// The records' directory below the state directory.
const KIND: &str = "looked";

/// The last look at one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastLook {
    /// Root of the project, absolute.
    pub root: Utf8PathBuf,
    pub at: String,
}

impl LastLook {
    /// Keeps it in `state`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, state: &Utf8Path) -> io::Result<()> {
        put(&record(state, KIND, &self.root), &serde_json::to_vec(self)?)
    }

    /// What `state` has of this root. What cannot be read is absent.
    pub fn read(state: &Utf8Path, root: &Utf8Path) -> Option<LastLook> {
        let looked: LastLook = read_json(&record(state, KIND, root))?;
        (looked.root == root).then_some(looked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_remembered_for_its_project_only() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let looked = |at: &str| LastLook {
            root: "/one".into(),
            at: at.to_owned(),
        };
        assert_eq!(LastLook::read(state, "/one".into()), None);
        looked("2026-11-21T20:00:00.000Z").write(state).unwrap();
        looked("2026-11-22T20:00:00.000Z").write(state).unwrap();
        let last = LastLook::read(state, "/one".into()).unwrap();
        assert_eq!(last.at, "2026-11-22T20:00:00.000Z");
        assert_eq!(LastLook::read(state, "/two".into()), None);
    }
}
