//! Where a goal's document lies and belongs, and what becomes of others that stand for the goal.
//!
//! A goal that was taken over from another tool has that tool's document until ours is written: it
//! goes to the archive as it is, so that nothing is kept twice. One that comes later was written
//! back by a session that still holds the goal; it changes nothing, and `repair` puts it aside.

use camino::{Utf8Path, Utf8PathBuf};

use super::ProjectionError;
use crate::documents::header::{Style, style};
use crate::documents::store::{self, Entry, free_name};
use crate::domain::goal::state::Goal;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use crate::workspace::document_name::{DocumentKind, DocumentName};

/// A file that goes elsewhere. Nothing is ever overwritten by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub from: Utf8PathBuf,
    pub to: Utf8PathBuf,
}

/// Where our document of a goal is, and what lies beside it.
pub(super) struct Place {
    pub path: Utf8PathBuf,
    /// Its text now; nothing when it is missing.
    pub before: Option<String>,
    /// Where it is moved once it is right.
    pub move_to: Option<Utf8PathBuf>,
    /// Documents that the goal had when it was taken over.
    pub aside: Vec<Move>,
    /// Documents that another tool wrote later.
    pub returned: Vec<Move>,
}

/// A document that was read.
struct Document {
    path: Utf8PathBuf,
    text: String,
}

impl Document {
    fn is_ours(&self) -> bool {
        style(&self.text) != Style::BareJson
    }
}

/// Where a goal's document lies or belongs; nothing for a goal that has ended with another tool's
/// document in the archive, and for one that was never created.
pub(super) fn place(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<Option<Place>, ProjectionError> {
    let active = read_all(snapshot.active_documents_of(&goal.id)?)?;
    let (mut own, mut theirs): (Vec<_>, Vec<_>) = active.into_iter().partition(Document::is_ours);
    // Nobody but us has a document of a goal that was created here: this one was written over.
    if own.is_empty() && goal.created_by_us && !theirs.is_empty() {
        own.push(theirs.remove(0));
    }
    // The archive may be long: it is looked into only where it has to be.
    let archived = match own.is_empty() || !theirs.is_empty() {
        true => read_all(snapshot.archived_documents_of(&goal.id)?)?,
        false => Vec::new(),
    };
    let is_own = |it: &Document| it.is_ours() || goal.created_by_us;
    let (mut own_archived, their_archived): (Vec<_>, Vec<_>) =
        archived.into_iter().partition(is_own);
    let is_over = !goal.status.is_open() && own.is_empty() && own_archived.is_empty();
    if theirs.is_empty() && (!goal.created || is_over && !their_archived.is_empty()) {
        return Ok(None);
    }

    let taken_over = |it: &Document| {
        let archived = their_archived.iter();
        !goal.created_by_us && archived.map(|it| &it.text).all(|text| *text == it.text)
    };
    let (aside, returned): (Vec<_>, Vec<_>) = theirs.iter().partition(|it| taken_over(it));
    let aside = aside
        .into_iter()
        .map(|it| archived_as_it_is(it, paths, goal));
    let returned = returned.into_iter().map(|it| beside(&it.path, &it.text));
    let (aside, returned) = (aside.collect(), returned.collect());

    let ended_at = goal.ended_at.as_deref().unwrap_or(&goal.updated_at);
    let ended = (!goal.status.is_open())
        .then(|| paths.document(DocumentKind::Archived, ended_at, &goal.id));
    let new_active = new_active(&theirs, paths, goal);
    let (path, before, move_to) = match (own.is_empty(), own_archived.pop()) {
        (false, _) => {
            let first = own.remove(0);
            (first.path, Some(first.text), ended)
        }
        // Somebody moved it without an event; its Notes go back with it.
        (true, Some(last)) if ended.is_none() => (last.path, Some(last.text), Some(new_active)),
        (true, Some(last)) => (last.path, Some(last.text), None),
        // It is made where open ones lie and moved like any other.
        (true, None) => (new_active, None, ended),
    };
    Ok(Some(Place {
        path,
        before,
        move_to,
        aside,
        returned,
    }))
}

/// Reads them. What goes while it is looked at is as good as gone before.
fn read_all<'a>(
    entries: impl Iterator<Item = &'a Entry>,
) -> Result<Vec<Document>, ProjectionError> {
    let mut found = Vec::new();
    for entry in entries {
        match store::read(&entry.path) {
            Ok(text) => found.push(Document {
                path: entry.path.clone(),
                text,
            }),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// A name for a document of ours that is no other's: a session of another tool that still holds
/// the goal writes to the name that it knows, and would write over people's Notes.
fn new_active(theirs: &[Document], paths: &Paths, goal: &Goal) -> Utf8PathBuf {
    let named = |at: &str| paths.document(DocumentKind::Active, at, &goal.id);
    let is_free = |path: &Utf8PathBuf| theirs.iter().all(|it| it.path != *path);
    let first = named(&goal.created_at);
    match is_free(&first) {
        true => first,
        false => named(&goal.updated_at),
    }
}

/// Into the archive, under its own stamp.
fn archived_as_it_is(document: &Document, paths: &Paths, goal: &Goal) -> Move {
    let name = document.path.file_name().and_then(DocumentName::parse);
    let to = match name {
        Some(name) => paths.archived().join(
            DocumentName {
                kind: DocumentKind::Archived,
                ..name
            }
            .to_string(),
        ),
        None => paths.document(DocumentKind::Archived, &goal.created_at, &goal.id),
    };
    Move {
        from: document.path.clone(),
        to: free_name(&to, document.text.as_bytes()),
    }
}

/// Beside where it is, as `.orig`, where no command reads it.
pub(super) fn beside(path: &Utf8Path, text: &str) -> Move {
    let to = Utf8PathBuf::from(format!("{path}.orig"));
    Move {
        from: path.to_owned(),
        to: free_name(&to, text.as_bytes()),
    }
}
