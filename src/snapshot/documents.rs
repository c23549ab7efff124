//! The documents of a project: what they may add to what the ledger says, and which are those of a goal.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::io;

use camino::Utf8PathBuf;

use super::SnapshotError;
use crate::documents::store::{Entry, Listing};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::state::{Keeper, Status};
use crate::domain::goals::{GoalRef, Goals};
use crate::domain::id::GoalId;
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

/// The documents, as far as somebody asked for them.
#[derive(Debug)]
pub struct Documents {
    active: Directory,
    archived: Directory,
}

/// What reading the project needs of its documents.
#[derive(Debug)]
pub struct DocumentScan {
    pub documents: Documents,
    /// Those of goals that are not settled or not in the ledger, by directory and name.
    pub wanted: Vec<Entry>,
    /// What lies among the documents and should not.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds the documents that may have something to add to these goals.
///
/// # Errors
/// A directory that exists and cannot be listed.
pub fn look(paths: &Paths, goals: &Goals) -> Result<DocumentScan, SnapshotError> {
    // Beside a copy that is read alone there are none.
    let at = |dir: Utf8PathBuf| paths.only().map_or(dir, |only| only.with_extension("none"));
    let documents = Documents {
        active: Directory::new(at(paths.own().to_owned()), DocumentKind::Active),
        archived: Directory::new(at(paths.archived()), DocumentKind::Archived),
    };
    let (mut wanted, mut diagnostics) = (Vec::new(), Vec::new());
    let all_settled = goals.unsettled() == 0;
    let is_settled = |id: &str| goals.listed(id).is_some_and(GoalRef::is_settled);
    let may_add = |id: &str| !goals.contains_key(id) || !all_settled && !is_settled(id);
    for directory in [&documents.active, &documents.archived] {
        let found = directory.listing()?.documents(may_add);
        wanted.extend(found.entries);
        diagnostics.extend(found.diagnostics);
    }
    Ok(DocumentScan {
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

    /// Those of this goal among the documents of open goals, sorted by name.
    pub fn active_of(&self, id: &GoalId) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.active.of(id)
    }

    /// The open goals of ours that have none among the active ones: somebody took it away.
    ///
    /// # Errors
    /// A directory that exists and cannot be listed.
    pub fn taken_away(&self, goals: &Goals) -> Result<Vec<GoalId>, SnapshotError> {
        let there: HashSet<&str> = self.active.listing()?.ids().collect();
        let open = goals.list(Status::is_open).into_iter();
        let ours = open.filter(|it| it.keeper() == Keeper::Ours);
        let gone = ours.filter(|it| !there.contains(it.id().as_str()));
        Ok(gone.map(|it| it.id().clone()).collect())
    }

    /// Those of this goal in the archive, sorted by name.
    pub fn archived_of(&self, id: &GoalId) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.archived.of(id)
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
}

impl Directory {
    fn new(path: Utf8PathBuf, kind: DocumentKind) -> Directory {
        Directory {
            listing: OnceCell::new(),
            entries: OnceCell::new(),
            by_goal: OnceCell::new(),
            first: OnceCell::new(),
            path,
            kind,
        }
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

    fn of(&self, id: &GoalId) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        let found: Vec<&Entry> = match self.of_first(id)? {
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
