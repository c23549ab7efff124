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
use crate::domain::id::GoalId;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use crate::workspace::document_name::{DocumentKind, DocumentName};

/// A file that goes elsewhere. Nothing is ever overwritten by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub from: Utf8PathBuf,
    pub to: Utf8PathBuf,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub path: Utf8PathBuf,
    pub text: String,
}

/// Where our document of a goal is, and what lies beside it.
pub(super) struct DocumentPlace {
    pub path: Utf8PathBuf,
    /// Its text now; nothing when it is missing.
    pub before: Option<String>,
    /// Where it is moved once it is right.
    pub move_to: Option<Utf8PathBuf>,
    /// Other documents of ours: a merge left them.
    pub others: Vec<Document>,
    /// Documents that the goal had when it was taken over.
    pub aside: Vec<Move>,
    /// Documents that another tool wrote later.
    pub returned: Vec<Move>,
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
) -> Result<Option<DocumentPlace>, ProjectionError> {
    let active = read_all(snapshot.active_documents_of(&goal.id)?)?;
    let (mut own, mut theirs): (Vec<_>, Vec<_>) = active.into_iter().partition(Document::is_ours);
    // Nobody but us has a document of a goal that was created here: this one was written over.
    if own.is_empty() && goal.created_by_us && !theirs.is_empty() {
        own.push(theirs.remove(0));
    }
    // The archive may be long: it is looked into only where it has to be.
    let has_ended = !goal.status.is_open();
    let archived = match own.is_empty() || !theirs.is_empty() || has_ended {
        true => read_all(snapshot.archived_documents_of(&goal.id)?)?,
        false => Vec::new(),
    };
    let is_own = |it: &Document| it.is_ours() || goal.created_by_us;
    let (mut own_archived, their_archived): (Vec<_>, Vec<_>) =
        archived.into_iter().partition(is_own);
    let is_over = has_ended && own.is_empty() && own_archived.is_empty();
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

    let new_active = new_active(&theirs, &their_archived, paths, goal);
    let (path, before) = match (own.is_empty(), own_archived.pop()) {
        (false, last) => {
            own_archived.extend(last);
            let first = own.remove(0);
            (first.path, Some(first.text))
        }
        // Where somebody moved it without an event, its Notes go back with it.
        (true, Some(last)) => (last.path, Some(last.text)),
        // It is made where open ones lie and moved like any other.
        (true, None) => (new_active.clone(), None),
    };
    let is_archived = path.parent() == Some(&paths.archived());
    let move_to = match (has_ended, is_archived) {
        (true, false) => Some(archived_name(&path, paths, goal)),
        (false, true) => Some(new_active),
        _ => None,
    };
    // A copy that a person made has another name, and is theirs.
    own_archived.retain(|it| has_ended && it.is_ours() && is_named_after(&it.path, &goal.id));
    Ok(Some(DocumentPlace {
        path,
        before,
        move_to,
        others: own_archived,
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
fn new_active(
    theirs: &[Document],
    their_archived: &[Document],
    paths: &Paths,
    goal: &Goal,
) -> Utf8PathBuf {
    let named = |at: &str| paths.document(DocumentKind::Active, at, &goal.id);
    // It keeps its stamp in the archive.
    let is_free = |path: &Utf8PathBuf| {
        let archived = archived_name(path, paths, goal);
        let mut theirs = theirs.iter().chain(their_archived);
        theirs.all(|it| it.path != *path && it.path != archived)
    };
    let first = named(&goal.created_at);
    match is_free(&first) {
        true => first,
        false => named(&goal.updated_at),
    }
}

/// The name of a document in the archive: its own stamp, which is the same on every machine. Two
/// branches that end a goal so have one archived document after their merge.
fn archived_name(path: &Utf8Path, paths: &Paths, goal: &Goal) -> Utf8PathBuf {
    match path.file_name().and_then(DocumentName::parse) {
        Some(name) => {
            let kind = DocumentKind::Archived;
            let name = DocumentName { kind, ..name };
            paths.archived().join(name.to_string())
        }
        None => paths.document(DocumentKind::Archived, &goal.created_at, &goal.id),
    }
}

/// Where the document of a goal goes at its end, as far as it can be told before.
///
/// # Errors
/// The documents cannot be listed.
pub fn archive_path(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<Utf8PathBuf, ProjectionError> {
    let active = read_all(snapshot.active_documents_of(&goal.id)?)?;
    let (own, theirs): (Vec<_>, Vec<_>) = active.into_iter().partition(Document::is_ours);
    let path = match own.into_iter().next() {
        Some(own) => own.path,
        None => {
            let mut archived = read_all(snapshot.archived_documents_of(&goal.id)?)?;
            archived.retain(|it| !it.is_ours());
            new_active(&theirs, &archived, paths, goal)
        }
    };
    Ok(archived_name(&path, paths, goal))
}

fn is_named_after(path: &Utf8Path, id: &GoalId) -> bool {
    let name = path.file_name().and_then(DocumentName::parse);
    name.is_some_and(|name| name.id == *id)
}

/// Into the archive, under its own stamp.
fn archived_as_it_is(document: &Document, paths: &Paths, goal: &Goal) -> Move {
    Move {
        from: document.path.clone(),
        to: free_name(
            &archived_name(&document.path, paths, goal),
            document.text.as_bytes(),
        ),
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
