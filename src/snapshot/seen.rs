//! What was seen of the directories of documents, kept beside the saved state that it is
//! about: by the same rules (docs/design/saved-state.md), and nothing is needed for anything to be right.
//!
//! What is remembered of a directory holds while its stamp stays the same: by their names alone,
//! the documents in it are those of these goals, and there was nothing to find fault with. An edit
//! of a document does not show in the stamp, but once a goal is settled its document has nothing
//! to add, whatever it says. Whether all of them are settled is seen each time.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::saved::Known;
use crate::domain::goals::{Goals, SavedGoals};
use crate::domain::id::GoalId;
use crate::ledger::cache::{Stamp, tells_of_entries};
use crate::ledger::open::read_own;
use crate::ledger::small::put;
use crate::workspace::document_name::DocumentKind;

/// One directory: with this stamp it held documents of goals that are in the saved state, and of
/// these others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    stamp: Stamp,
    others: BTreeSet<GoalId>,
}

impl Seen {
    /// Whether all goals that it is about are in the ledger. Those of the saved state are, since
    /// the ledger begins as it did then.
    pub fn is_about(&self, goals: &Goals) -> bool {
        self.others.iter().all(|id| goals.contains_key(id.as_str()))
    }

    /// Whether the directory can hold a document of this goal. The saved goals are the saved state
    /// that this is kept beside.
    pub fn may_hold(&self, id: &GoalId, saved_goals: &dyn SavedGoals) -> bool {
        saved_goals.label(id.as_str()).is_some() || self.others.contains(id)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// Beside which cache.
    cache: u64,
    active: Option<Seen>,
    archived: Option<Seen>,
}

/// What is remembered beside a saved state.
#[derive(Debug)]
pub struct Memory {
    path: Utf8PathBuf,
    kept: Kept,
    /// Bytes of the file, whatever they are.
    room: usize,
    changed: bool,
}

/// The file begins with the sum of its text: so many digits.
const SUM: usize = 16;

impl Memory {
    /// What there is; damaged, or beside another saved state, it counts as nothing. There is no
    /// memory beside a state that was saved only now: the next command begins one.
    pub fn of(known: &Known) -> Option<Memory> {
        known.saved_goals()?;
        let path = Utf8PathBuf::from(format!("{}.documents", known.cache().path()));
        let bytes = read_own(&path).unwrap_or_default();
        let cache = known.cache().id();
        let kept = read(&bytes).filter(|kept| kept.cache == cache);
        Some(Memory {
            path,
            room: bytes.len(),
            changed: false,
            kept: kept.unwrap_or(Kept {
                cache,
                ..Kept::default()
            }),
        })
    }

    /// What is remembered of this directory, if it is as it was.
    pub fn of_directory(&self, kind: DocumentKind, path: &Utf8Path) -> Option<Seen> {
        let seen = match kind {
            DocumentKind::Active => self.kept.active.as_ref()?,
            DocumentKind::Archived => self.kept.archived.as_ref()?,
        };
        let now = Stamp::from(&fs::symlink_metadata(path).ok()?);
        (now == seen.stamp).then(|| seen.clone())
    }

    /// Remembers that the directory with this stamp held documents of saved goals and of these
    /// `others`, each told by its name, and nothing else worth a word.
    pub fn put(&mut self, kind: DocumentKind, stamp: Stamp, others: BTreeSet<GoalId>) {
        let seen = Some(Seen { stamp, others });
        match kind {
            DocumentKind::Active => self.kept.active = seen,
            DocumentKind::Archived => self.kept.archived = seen,
        }
        self.changed = true;
    }

    /// Keeps what has changed for the next command. Best effort: without it that one lists the
    /// directories too.
    pub fn keep(self) {
        if !self.changed {
            return;
        }
        let Ok(text) = serde_json::to_string(&self.kept) else {
            return;
        };
        let mut bytes = format!("{:0SUM$x}{text}", xxh3_64(text.as_bytes())).into_bytes();
        // Nothing of a longer text may be left behind it.
        bytes.resize(bytes.len().max(self.room), b' ');
        let _best_effort = put(&self.path, &bytes);
    }
}

fn read(bytes: &[u8]) -> Option<Kept> {
    let (sum, text) = bytes.trim_ascii_end().split_at_checked(SUM)?;
    let sum = u64::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    (sum == xxh3_64(text))
        .then(|| serde_json::from_slice(text).ok())
        .flatten()
}

/// The stamp of a directory, if whatever happens to its entries from now on gives it another one.
pub fn stamp_to_remember(path: &Utf8Path) -> Option<Stamp> {
    let mut access = File::options();
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits();
    let access = access.read(true).custom_flags(flags.cast_signed());
    let dir = access.open(path).ok()?;
    let stamp = Stamp::of(&dir).ok()?;
    (stamp.lasts(&dir) && tells_of_entries(&dir)).then_some(stamp)
}
