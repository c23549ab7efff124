//! What the user accepts of a ledger: its first line, and the keys of other machines. Kept in the
//! user's state directory, as a record of this machine's own.

use std::collections::BTreeMap;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::records::{RecordRead, RootRecord, write_record};
use super::tip::TipStamp;
use crate::domain::id::EventId;
use crate::domain::seal::{Key, KeyId};

/// What is accepted of the ledger of one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// Root of the project, absolute.
    pub root: Utf8PathBuf,
    /// The ids of first lines, the one that this machine seals for first.
    pub beginnings: Vec<EventId>,
    /// The keys of other machines that count, and the names that the user gave those.
    pub keys: BTreeMap<KeyId, String>,
    /// What the user trusts of signatures here is on record: where that record is gone, none counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gate: bool,
}

impl Accepted {
    /// Nothing yet.
    pub fn none(root: &Utf8Path) -> Accepted {
        Accepted {
            root: root.to_owned(),
            beginnings: Vec::new(),
            keys: BTreeMap::new(),
            gate: false,
        }
    }
}

impl RootRecord for Accepted {
    const KIND: &'static str = "accepted";

    fn root_mut(&mut self) -> &mut Utf8PathBuf {
        &mut self.root
    }

    /// From the first ledger on that is accepted, a record of the lines that were appended to it has to
    /// be there.
    fn write(&self, state: &Utf8Path, own: &Key) -> io::Result<()> {
        if !Accepted::read(state, &self.root, Some(own)).has_ledger() {
            TipStamp::begin(state, &self.root, own)?;
        }
        write_record(&Self::path(state, &self.root), Self::KIND, self, own)
    }
}

impl RecordRead<Accepted> {
    /// Whether the user accepted a ledger.
    pub fn has_ledger(&self) -> bool {
        matches!(self, RecordRead::Valid(it) if !it.beginnings.is_empty())
    }
}

/// The keys in a file, and the names of their machines: one of each in a line. Blank lines and those
/// that begin with `#` say nothing.
///
/// # Errors
/// Why the file cannot be used.
pub fn named_in(path: &Utf8Path) -> Result<BTreeMap<KeyId, String>, String> {
    let failed = |why: String| format!("cannot use the keys `{path}`: {why}");
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let mut keys = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let key: Result<KeyId, _> = key.parse();
        match (key, name.trim()) {
            (Err(error), _) => return Err(failed(format!("line {number}: {error}"))),
            (Ok(_), "") => return Err(failed(format!("line {number} has no name"))),
            (Ok(key), name) => keys.insert(key, name.to_owned()),
        };
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_for_its_root_and_key_only() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let own = Key::new([1; 32]);
        let accepted = Accepted {
            beginnings: vec![EventId::of_line(b"x")],
            keys: BTreeMap::from([(Key::new([2; 32]).id(), "ann".to_owned())]),
            ..Accepted::none("/one".into())
        };
        let of = |root: &str, key: Option<&Key>| Accepted::read(state, root.into(), key);
        assert_eq!(of("/one", Some(&own)), RecordRead::Absent);
        accepted.write(state, &own).unwrap();
        assert_eq!(of("/one", Some(&own)), RecordRead::Valid(accepted.clone()));
        assert_eq!(of("/two", Some(&own)), RecordRead::Absent);
        assert_eq!(of("/one", Some(&Key::new([2; 32]))), RecordRead::NotOurs);
        assert_eq!(of("/one", None), RecordRead::NotOurs);
        // One that was copied to the place of another project's.
        let [one, two] = ["/one", "/two"].map(|root| Accepted::path(state, root.into()));
        std::fs::copy(one, two).unwrap();
        assert_eq!(of("/two", Some(&own)), RecordRead::NotOurs);
    }
}
