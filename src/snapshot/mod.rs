//! What a project says now: its ledger as it was read from all its copies, with what documents of other
//! tools add.

pub mod copies;
mod documents;
mod overlay;

use std::fs::File;
use std::io;
use std::ops::Deref;

use camino::Utf8PathBuf;

use crate::documents::header::{Style, style};
use crate::documents::store::{self, Entry};
use crate::domain::event::Event;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::ledger::append::Appended;
use crate::ledger::open::OpenError;
use crate::reading::Reading;
use crate::workspace::Paths;
use documents::{Documents, look};
use overlay::overlay;

/// A project as it was read: all that its [`Reading`] tells, and its documents.
#[derive(Debug)]
pub struct Snapshot {
    reading: Reading,
    documents: Documents,
}

/// Why a project cannot be read at all: not its content, but the system.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot read {path}: {source}; check its permissions")]
    Io {
        path: Utf8PathBuf,
        source: io::Error,
    },
}

impl Deref for Snapshot {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.reading
    }
}

impl Snapshot {
    /// Reads the project as it is now. One without a ledger is empty.
    pub fn read(paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let united = copies::united(paths)?;
        let cache = paths.cache().filter(|_| united.is_ledger);
        Snapshot::of(Reading::of(united.file, cache), paths)
    }

    /// Reads the project from its ledger, which the caller has open: under its lock, to append to
    /// what was read, or to read more of the same file.
    pub fn of_open(file: Option<&File>, paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let file = file.map(File::try_clone).transpose();
        let reading = file.and_then(|file| Reading::of(file, paths.cache()));
        Snapshot::of(reading, paths)
    }

    /// The project after events were appended to what was read. Where [`Reading::then`] cannot tell,
    /// the ledger is read anew.
    ///
    /// # Errors
    /// The ledger, which is new or was appended to by others, cannot be read.
    pub fn then(
        self,
        events: &[Event],
        ids: &[EventId],
        appended: &Appended,
        paths: &Paths,
    ) -> Result<Snapshot, SnapshotError> {
        let documents = self.documents;
        match self.reading.then(events, ids, appended, paths.cache()) {
            Some(reading) => Ok(Snapshot { reading, documents }),
            None => Snapshot::read(paths),
        }
    }

    /// Reads the project as it was when the line at `last` had just been appended.
    pub fn up_to(&self, last: LineRef, paths: &Paths) -> Result<Snapshot, SnapshotError> {
        Snapshot::of(self.reading.up_to(last), paths)
    }

    fn of(reading: io::Result<Reading>, paths: &Paths) -> Result<Snapshot, SnapshotError> {
        let mut reading = reading.map_err(|source| SnapshotError::Io {
            path: paths.events(),
            source,
        })?;
        reading.state.focus.seen_from(paths.tree_key());
        let looked = look(paths, &reading.state.goals)?;
        let Reading {
            state, diagnostics, ..
        } = &mut reading;
        overlay(state, &looked.wanted, paths, diagnostics);
        diagnostics.extend(looked.diagnostics);
        Ok(Snapshot {
            reading,
            documents: looked.documents,
        })
    }

    /// All documents that lie there: active ones first, each kind sorted by name.
    pub fn documents(&self) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.documents.all()
    }

    /// The document of a goal that people should look at: ours where it has one, else another
    /// tool's; the active one before the archived one with the latest stamp.
    pub fn document_of(&self, id: &GoalId) -> Result<Option<&Entry>, SnapshotError> {
        let active: Vec<&Entry> = self.active_documents_of(id)?.collect();
        if let Some(ours) = active.iter().find(|it| is_ours(it)) {
            return Ok(Some(*ours));
        }
        let archived: Vec<&Entry> = self.archived_documents_of(id)?.collect();
        let ours = archived.iter().rfind(|it| is_ours(it));
        let theirs = active.first().or(archived.last());
        Ok(ours.or(theirs).copied())
    }

    /// The documents of a goal among those of the open ones, the first stamp first.
    pub fn active_documents_of(
        &self,
        id: &GoalId,
    ) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.documents.active_of(id)
    }

    /// The open goals of ours whose document somebody took away.
    pub fn documents_taken_away(&self) -> Result<Vec<GoalId>, SnapshotError> {
        self.documents.taken_away(&self.state.goals)
    }

    /// The documents of a goal in the archive, the latest stamp last.
    pub fn archived_documents_of(
        &self,
        id: &GoalId,
    ) -> Result<impl Iterator<Item = &Entry>, SnapshotError> {
        self.documents.archived_of(id)
    }
}

/// Whether a document is not another tool's, as far as it can be read.
fn is_ours(entry: &Entry) -> bool {
    store::read(&entry.path).is_ok_and(|text| style(&text) != Style::BareJson)
}
