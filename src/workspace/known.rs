//! What this user's key knows of a ledger: the lines that were there when the key was first used on
//! it, and the keys of others that the user accepts there. Kept in the user's state directory.

use std::collections::BTreeSet;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::dirs::{put, record};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::seal::KeyId;
use crate::ledger::open;

/// The records' directory below the state directory.
const KIND: &str = "known";

/// What is known of one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Root of the project, absolute.
    pub root: Utf8PathBuf,
    /// The key whose first use this was.
    pub key: KeyId,
    /// The last lines of ours at that time. Whatever links lead to from them was there before.
    pub heads: BTreeSet<EventId>,
    /// The last line of the file at that time: while it stands there, what stands before it was
    /// there too. Earlier versions kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<(LineRef, EventId)>,
    /// Keys of others that count: those of lines that were there before, and those that the user
    /// accepted since.
    pub keys: BTreeSet<KeyId>,
}

impl Known {
    /// Keeps it in `state`, by rename: half of it would forget what is known.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write(&self, state: &Utf8Path) -> io::Result<()> {
        put(&record(state, KIND, &self.root), &serde_json::to_vec(self)?)
    }

    /// What `state` has of this root. What cannot be read is absent.
    pub fn read(state: &Utf8Path, root: &Utf8Path) -> Option<Known> {
        let file = open::read(&record(state, KIND, root)).ok()??;
        let known: Known = serde_json::from_reader(io::BufReader::new(file)).ok()?;
        (known.root == root).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::seal::Key;

    #[test]
    fn it_comes_back_for_its_root_only() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let known = Known {
            root: "/one".into(),
            key: Key::new([1; 32]).id(),
            heads: BTreeSet::from([EventId::of_line(b"x"), EventId::of_line(b"y")]),
            last: Some((LineRef::START, EventId::of_line(b"y"))),
            keys: BTreeSet::from([Key::new([2; 32]).id()]),
        };
        known.write(state).unwrap();
        assert_eq!(Known::read(state, "/one".into()), Some(known.clone()));
        assert_eq!(Known::read(state, "/two".into()), None);
        let earlier = serde_json::to_string(&Known {
            last: None,
            ..known.clone()
        })
        .unwrap();
        assert!(!earlier.contains("last"));
        std::fs::write(record(state, KIND, "/one".into()), earlier).unwrap();
        assert_eq!(Known::read(state, "/one".into()).unwrap().last, None);
        std::fs::write(record(state, KIND, "/one".into()), "{").unwrap();
        assert_eq!(Known::read(state, "/one".into()), None);
    }
}
