//! The documents of a project: which of the two directories has to be listed at once, and the
//! other when somebody asks for a document.
//!
//! A project of ours gathers documents of ended goals by the thousand, and to replay they say
//! nothing. So a directory of which that is known (see [`super::seen`]) is not listed.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::io;

use camino::Utf8PathBuf;

use super::SnapshotError;
use super::saved::Known;
use super::seen::{Memory, Seen, stamp_to_remember};
use crate::documents::store::{Entry, Listing, Scan};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::goals::Goals;
use crate::domain::id::GoalId;
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

/// How many documents a directory must hold before it pays to remember whose they are: about as
/// many names are read, and their goals looked up, while that is written. Unit tests are to meet
/// what is remembered.
const WORTH: usize = if cfg!(test) { 1 } else { 8 };

/// The documents, as far as somebody asked for them.
#[derive(Debug)]
pub struct Documents {
    active: Directory,
    archived: Directory,
}

/// What reading the project needs of its documents.
#[derive(Debug)]
pub struct Looked {
    pub documents: Documents,
    /// Those of goals that are not settled or not in the ledger, by directory and name.
    pub wanted: Vec<Entry>,
    /// What lies among the documents and should not.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds the documents that may have something to add to these goals. `known` is what was saved
/// of the ledger that they come from.
///
/// # Errors
/// A directory that exists and cannot be listed.
pub fn look(paths: &Paths, goals: &Goals, known: Option<&Known>) -> Result<Looked, SnapshotError> {
    let mut memory = known.and_then(Memory::of);
    let mut documents = Documents {
        active: Directory::new(
            paths.home().to_owned(),
            DocumentKind::Active,
            memory.as_ref(),
        ),
        archived: Directory::new(paths.archived(), DocumentKind::Archived, memory.as_ref()),
    };
    let (mut wanted, mut diagnostics) = (Vec::new(), Vec::new());
    let both = [&mut documents.active, &mut documents.archived];
    let seen = both.iter().any(|directory| directory.seen.is_some());
    let all_settled = seen && goals.unsettled() == 0;
    for directory in both {
        if all_settled && directory.is_silent(goals) {
            continue;
        }
        let found = directory.list(goals, memory.as_mut())?;
        wanted.extend(found.entries);
        diagnostics.extend(found.diagnostics);
    }
    if let Some(memory) = memory {
        memory.keep();
    }
    Ok(Looked {
        documents,
        wanted,
        diagnostics,
    })
}

impl Documents {
    /// All of them: active ones first, each kind sorted by name.
    pub fn all(&self) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        let (active, archived) = (self.active.entries()?, self.archived.entries()?);
        Ok(active.iter().chain(archived))
    }

    /// Those of this goal among the documents of open goals, sorted by name. `known` is what
    /// [`look`] was given.
    pub fn active_of(
        &self,
        id: &GoalId,
        known: Option<&Known>,
    ) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.active.of(id, known)
    }

    /// Those of this goal in the archive, sorted by name. `known` as before.
    pub fn archived_of(
        &self,
        id: &GoalId,
        known: Option<&Known>,
    ) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.archived.of(id, known)
    }
}

#[derive(Debug)]
struct Directory {
    path: Utf8PathBuf,
    kind: DocumentKind,
    /// The names in it, once they were read.
    listing: OnceCell<Listing>,
    /// All documents in it, once somebody asks for those of several goals.
    entries: OnceCell<Vec<Entry>>,
    /// Where those of each goal are among them.
    by_goal: OnceCell<HashMap<GoalId, Vec<usize>>>,
    /// The first goal that somebody asked for, and its documents.
    first: OnceCell<(GoalId, Vec<Entry>)>,
    /// What is remembered of it, if that is still so.
    seen: Option<Seen>,
}

impl Directory {
    fn new(path: Utf8PathBuf, kind: DocumentKind, memory: Option<&Memory>) -> Directory {
        Directory {
            seen: memory.and_then(|memory| memory.of_directory(kind, &path)),
            listing: OnceCell::new(),
            entries: OnceCell::new(),
            by_goal: OnceCell::new(),
            first: OnceCell::new(),
            path,
            kind,
        }
    }

    /// Whether no document in it has anything to add, given that all goals are settled.
    fn is_silent(&self, goals: &Goals) -> bool {
        let seen = self.seen.as_ref();
        seen.is_some_and(|seen| seen.is_about(goals))
    }

    /// Lists it: findings, and the documents that may have something to add. Remembers what names
    /// alone tell without a finding: that stays so.
    fn list(&self, goals: &Goals, memory: Option<&mut Memory>) -> Result<Scan, SnapshotError> {
        let memory = memory.filter(|_| self.seen.is_none());
        // As it was before, so that what comes in between shows.
        let stamp = memory.and_then(|it| Some((stamp_to_remember(&self.path)?, it)));
        let (mut count, mut others) = (0, BTreeSet::new());
        let found = self.listing()?.documents(|id| {
            let label = goals.label(id);
            count += 1;
            // Those that the saved state knows need no remembering; a touched one may be new.
            if label.is_none() || goals.is_touched(id) {
                others.extend(id.parse::<GoalId>().ok());
            }
            label.is_none_or(|label| !label.settled)
        });
        let stays = found.diagnostics.is_empty() && !found.opened;
        if let (Some((stamp, memory)), true) = (stamp, stays && count >= WORTH) {
            memory.put(self.kind, stamp, others);
        }
        Ok(found)
    }

    fn listing(&self) -> Result<&Listing, SnapshotError> {
        if let Some(listing) = self.listing.get() {
            return Ok(listing);
        }
        let listing = Listing::of(&self.path, self.kind).map_err(|source| self.failed(source))?;
        Ok(self.listing.get_or_init(|| listing))
    }

    fn failed(&self, source: io::Error) -> SnapshotError {
        SnapshotError::Io {
            path: self.path.clone(),
            source,
        }
    }

    /// The documents of this goal, where it is the first that somebody asks for: most commands
    /// look at one goal, and need not know whose all documents are.
    fn of_first(&self, id: &GoalId) -> Result<Option<&[Entry]>, SnapshotError> {
        if self.first.get().is_none() {
            let found = self.listing()?.documents(|it| it == id.as_str());
            // Nobody else can have set it.
            let _ = self.first.set((id.clone(), found.entries));
        }
        let first = self.first.get().filter(|(first, _)| first == id);
        Ok(first.map(|(_, found)| found.as_slice()))
    }

    fn entries(&self) -> Result<&[Entry], SnapshotError> {
        let listing = self.listing()?;
        let entries = self
            .entries
            .get_or_init(|| listing.documents(|_| true).entries);
        Ok(entries)
    }

    fn by_goal(&self, entries: &[Entry]) -> &HashMap<GoalId, Vec<usize>> {
        self.by_goal.get_or_init(|| {
            let mut by_goal: HashMap<GoalId, Vec<usize>> = HashMap::new();
            for (at, entry) in entries.iter().enumerate() {
                by_goal.entry(entry.id.clone()).or_default().push(at);
            }
            by_goal
        })
    }

    fn of(
        &self,
        id: &GoalId,
        known: Option<&Known>,
    ) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        let none = match (&self.seen, known.and_then(Known::saved_goals)) {
            (Some(seen), Some(saved_goals)) => !seen.may_hold(id, saved_goals),
            _ => false,
        };
        let first = match none {
            true => Some(&[][..]),
            false => self.of_first(id)?,
        };
        let found: Vec<&Entry> = match first {
            Some(found) => found.iter().collect(),
            None => {
                let entries = self.entries()?;
                let places = self.by_goal(entries).get(id).into_iter().flatten();
                places.map(|at| &entries[*at]).collect()
            }
        };
        Ok(found.into_iter())
    }
}

#[cfg(test)]
mod tests;
