//! Lines whose signatures this machine has checked: a signature takes a tenth of a millisecond, so a
//! listing checks none twice. Kept as a record of this machine's own; nothing is needed for anything
//! to be right. A line's id is a hash of all its bytes, its seal too.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::dirs::record;
use super::records::{encoded, read_record};
use crate::domain::id::EventId;
use crate::domain::seal::Key;
use crate::ledger::open::make_private;
use crate::ledger::small;

/// The records' directory below the state directory.
const KIND: &str = "verified";

/// At most so many lines are remembered.
const MOST: usize = 20_000;

/// The lines of one ledger whose signatures are right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Root of the project, absolute.
    root: Utf8PathBuf,
    /// The first lines of the ledgers for which they were checked.
    beginnings: BTreeSet<EventId>,
    /// Ids without anything between them.
    ids: String,
}

impl Verified {
    /// The lines that were checked for these beginnings.
    pub fn read(
        state: &Utf8Path,
        root: &Utf8Path,
        beginnings: &BTreeSet<EventId>,
        own: &Key,
    ) -> BTreeSet<EventId> {
        let kept = read_record::<Verified>(&record(state, KIND, root), KIND, Some(own)).valid();
        let kept = kept.filter(|it| it.root == root && it.beginnings == *beginnings);
        let text = kept.map(|it| it.ids).unwrap_or_default();
        let (ids, _) = text.as_bytes().as_chunks::<32>();
        let id = |it: &[u8; 32]| std::str::from_utf8(it).ok()?.parse().ok();
        ids.iter().filter_map(id).collect()
    }

    /// Remembers them. Best effort: without it the next listing checks them again.
    pub fn write(
        state: &Utf8Path,
        root: &Utf8Path,
        beginnings: &BTreeSet<EventId>,
        ids: &BTreeSet<EventId>,
        own: &Key,
    ) {
        let kept = Verified {
            root: root.to_owned(),
            beginnings: beginnings.clone(),
            ids: ids.iter().take(MOST).map(ToString::to_string).collect(),
        };
        let path = record(state, KIND, root);
        let put = || {
            make_private(path.parent().unwrap_or(&path))?;
            small::put(&path, &encoded(KIND, &kept, own)?)
        };
        let _best_effort = put();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_checked_is_known_to_this_key_for_these_ledgers_only() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let own = Key::new([1; 32]);
        let here = BTreeSet::from([EventId::of_line(b"here")]);
        let ids: BTreeSet<EventId> = [b"a", b"b"].map(|it| EventId::of_line(it)).into();
        Verified::write(state, "/one".into(), &here, &ids, &own);
        let of = |root: &str, here: &BTreeSet<EventId>, own: &Key| {
            Verified::read(state, root.into(), here, own)
        };
        assert_eq!(of("/one", &here, &own), ids);
        let none = BTreeSet::new();
        assert_eq!(of("/two", &here, &own), none);
        assert_eq!(of("/one", &none, &own), none);
        assert_eq!(of("/one", &here, &Key::new([2; 32])), none);
        let path = record(state, KIND, "/one".into());
        let text = std::fs::read_to_string(&path).unwrap();
        let [one, other] = [b"a", b"c"].map(|it| EventId::of_line(it).to_string());
        std::fs::write(&path, text.replace(&one, &other)).unwrap();
        assert_eq!(of("/one", &here, &own), none);
    }
}
