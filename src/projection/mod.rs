//! Projections: what each goal's document should be, and putting it there
//! (docs/design/documents.md#rendering).
//!
//! A plan is made first and carried out second, so that `doctor` can tell what `repair` would do.
//! Only goals of which a line is ours have documents of ours; the Notes belong to people and are
//! carried over byte for byte. A plan is made from what lies there, so that one which was carried
//! out in part is finished by the next.

mod merged;
mod notes;
mod place;

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

use crate::documents::compose::{compose, is_uncommented};
use crate::documents::error::DocumentError;
use crate::documents::header::{Style, style};
use crate::documents::merged::{has_markers, is_merged, without_renderings};
use crate::documents::notes::{is_edited, joined, notes_of};
use crate::documents::store::{self, FileError, Replaced, archive, keep_original, remove, replace};
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::id::GoalId;
use crate::render::document::{DocumentInput, document};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::workspace::Paths;
use notes::{KeptNotes, NotesPlan};
use place::{Document, DocumentPlace, beside, place};

pub use place::{Move, archive_path};

/// What is to be done to one goal's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub goal_id: GoalId,
    /// Where the document lies, or is to be written.
    pub path: Utf8PathBuf,
    /// Its bytes now; nothing when it is missing.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    /// A person edited it outside the Notes: a copy is kept beside it.
    pub edited: bool,
    /// Git put it together from renderings, and nothing else is in it.
    pub merged: bool,
    /// Other documents of ours for the goal, which a merge left: their Notes are in this one.
    pub superseded: Vec<Document>,
    /// What goes elsewhere once it is written: the document that the goal had at the tool it was
    /// taken over from, and what lies where this one belongs.
    pub aside: Vec<Move>,
    /// Where it is to be moved afterwards.
    pub move_to: Option<Utf8PathBuf>,
    /// Documents that another tool wrote after the goal was taken over. They change nothing, and
    /// carrying the plan out leaves them: a session that still holds the goal writes them again.
    pub returned: Vec<Move>,
    /// Its Notes, where other work trees do not have them yet.
    pub notes: Option<NotesPlan>,
}

/// Why a document could not be planned or put in place. The ledger is right all the same.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Find(#[from] SnapshotError),
    #[error("cannot read the ledger again: {0}")]
    Ledger(#[from] std::io::Error),
}

impl Plan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        let others = self.superseded.len() + self.aside.len() + self.returned.len();
        !self.changes_own() && others == 0
    }

    /// Whether somebody edited the document outside its Notes, or git left it half merged.
    pub fn is_touched_by_hand(&self) -> bool {
        let before = self.before.as_deref().map(String::from_utf8_lossy);
        self.edited || before.is_some_and(|before| has_markers(&before))
    }

    /// Whether carrying it out writes nothing.
    fn does_nothing(&self) -> bool {
        self.is_empty() && self.notes.is_none()
    }

    /// Whether our document is not what or where it should be.
    pub fn changes_own(&self) -> bool {
        self.move_to.is_some() || self.before.as_deref() != Some(&self.after)
    }

    /// Puts the document in place, and others out of its way. Does nothing for an empty plan. Gives what is
    /// to be known of it: which edit was rendered over, which files are elsewhere now, and what the file
    /// system refused.
    ///
    /// # Errors
    /// Somebody edited it since the plan was made, or the file system refuses. Whatever was not
    /// done is found again by the next plan.
    pub fn carry_out(&self, paths: &Paths) -> Result<Vec<Diagnostic>, ProjectionError> {
        let kept = match (self.edited, &self.before) {
            (true, Some(before)) => Some(keep_original(&self.path, before)?),
            _ => None,
        };
        // First, so that no other work tree lacks them once this document is written.
        self.notes.as_ref().map_or(Ok(()), NotesPlan::carry_out)?;
        let replaced = replace(&self.path, self.before.as_deref(), &self.after)?;
        // Ours first: at no moment is the goal without a document, nor are Notes nowhere.
        for Document { path, text } in &self.superseded {
            remove(path, text.as_bytes())?;
        }
        for Move { from, to } in &self.aside {
            archive(from, to)?;
        }
        if let Some(to) = &self.move_to {
            archive(&self.path, to)?;
        }
        let mut said = self.said(kept.as_deref(), paths);
        if replaced == Replaced::WrittenWithItsOwnMode {
            said.push(mode_not_kept(paths.relative(&self.path)));
        }
        Ok(said)
    }

    /// Puts aside what another tool wrote back.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn put_aside(&self) -> Result<(), ProjectionError> {
        for Move { from, to } in &self.returned {
            archive(from, to)?;
        }
        Ok(())
    }

    /// Which edit was rendered over, of which a copy was kept, and which files are elsewhere now.
    fn said(&self, kept: Option<&Utf8Path>, paths: &Paths) -> Vec<Diagnostic> {
        let by_another = self.before.as_deref().is_some_and(is_of_another_tool);
        let over = kept.map(|kept| match by_another {
            false => kept_edit(&self.goal_id, paths.relative(kept)),
            true => self.moved(&self.path, kept, paths),
        });
        let aside = self.aside.iter();
        let aside = aside.map(|it| self.moved(&it.from, &it.to, paths));
        let merged = self.of_merge(paths);
        over.into_iter().chain(aside).chain(merged).collect()
    }

    /// What is to be known of what git could not merge and is in order now.
    fn of_merge(&self, paths: &Paths) -> Vec<Diagnostic> {
        let place = self.move_to.as_deref().unwrap_or(&self.path);
        let (id, name) = (&self.goal_id, paths.relative(place));
        let found = |code, what: String| {
            let hint = "look at its Notes, then give git what there is now (`git add -A`)";
            Diagnostic::new(code, what, hint).weighing(Severity::Information)
        };
        let superseded = self.superseded.iter().map(|other| {
            let other = paths.relative(&other.path);
            let what = format!(
                "a merge left goal {id} a second document, {other}: its Notes are in {name}, and \
                 it is removed"
            );
            found(Code::DocumentDuplicate, what)
        });
        let before = self.before.as_deref().map(String::from_utf8_lossy);
        let marked = before.is_some_and(|before| has_markers(&before)).then(|| {
            let what = format!(
                "git left conflict markers in the document of goal {id}: it is rendered anew, and its \
                 Notes are as they were, in {name}"
            );
            found(Code::ConflictMarker, what)
        });
        superseded.chain(marked).collect()
    }

    fn moved(&self, from: &Utf8Path, to: &Utf8Path, paths: &Paths) -> Diagnostic {
        let [from, to] = [from, to].map(|path| paths.relative(path));
        Diagnostic::new(
            Code::ForeignDocument,
            format!(
                "{from} was not written by us: goal {} has a document of its own, and that file is \
                 kept as it is in {to}",
                self.goal_id
            ),
            "nothing to do: it changes nothing of the goal",
        )
        .weighing(Severity::Information)
    }
}

/// Whether these bytes are a document of another tool.
fn is_of_another_tool(bytes: &[u8]) -> bool {
    style(&String::from_utf8_lossy(bytes)) == Style::BareJson
}

/// What is to be known of an edit that was rendered over.
pub fn kept_edit(id: &GoalId, kept: &Utf8Path) -> Diagnostic {
    Diagnostic::new(
        Code::DocumentEdited,
        format!(
            "the document of goal {id} was edited outside its Notes; that is not in force, and is \
             kept in {kept}"
        ),
        format!(
            "the user takes it over with `goal tweak --goal {id} --from-document {kept}`, or \
             removes that file"
        ),
    )
}

fn mode_not_kept(document: &Utf8Path) -> Diagnostic {
    Diagnostic::new(
        Code::ModeNotKept,
        format!(
            "{document} is written, but the file system refused to give it the permissions that it had"
        ),
        "nothing to do, where others may read it; else keep the project on another file system",
    )
}

/// Plans the document of one goal; nothing for a goal that another tool keeps.
///
/// # Errors
/// Its document cannot be read: what is there is left alone.
pub fn plan(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<Option<Plan>, ProjectionError> {
    if goal.keeper != Keeper::Ours {
        return Ok(None);
    }
    let Some(place) = place(snapshot, paths, goal)? else {
        return Ok(None);
    };
    let DocumentPlace {
        path,
        before,
        move_to,
        others,
        mut aside,
        returned,
    } = place;
    let ends_at = move_to.as_deref().unwrap_or(&path);
    let merged = |text: &str| match is_edited(text) && is_merged(text) {
        true => merged::put_together(snapshot, paths, goal, text),
        false => Ok(None),
    };
    let merge = before.as_deref().map_or(Ok(None), merged)?;
    let notes = before
        .as_deref()
        .filter(|text| style(text) != Style::BareJson);
    let notes = notes.and_then(notes_of).unwrap_or_default();
    let mut notes = match &merge {
        Some(lines) => without_renderings(notes, lines),
        None => notes.to_owned(),
    };
    let mut superseded = Vec::new();
    for other in others {
        notes = joined(&notes, notes_of(&other.text).unwrap_or_default());
        match is_edited(&other.text) && merged(&other.text)?.is_none() {
            true => aside.push(beside(&other.path, &other.text)),
            false => superseded.push(other),
        }
    }
    let kept = KeptNotes::of(paths, &goal.id)?;
    if let Some(kept) = &kept {
        notes = kept.with(before.as_ref().map(|_| notes.as_str()));
    }
    let rendered = render(snapshot, paths, goal, ends_at, &notes)?;
    let after = match &before {
        Some(before) if is_uncommented(before, &rendered) => before.clone(),
        _ => rendered,
    };
    let edited = before
        .as_deref()
        .is_some_and(|text| *text != *after && merge.is_none() && is_edited(text));
    if let Some(to) = &move_to
        && superseded.iter().all(|other| other.path != *to)
        && aside.iter().all(|other| other.from != *to)
        && let Some(there) = read_if_there(to)?
        && there != after
    {
        aside.push(beside(to, &there));
    }
    Ok(Some(Plan {
        goal_id: goal.id.clone(),
        path,
        edited,
        merged: merge.is_some(),
        before: before.map(String::into_bytes),
        after: after.into_bytes(),
        superseded,
        aside,
        move_to,
        returned,
        notes: kept.and_then(|kept| kept.plan(&notes)),
    }))
}

fn read_if_there(path: &Utf8Path) -> Result<Option<String>, FileError> {
    match store::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// A goal, and what is to be done to its document or why that cannot be told.
pub type DocumentUpdate<'a> = (Cow<'a, Goal>, Result<Plan, ProjectionError>);

/// Plans the documents of all goals whose document is not as it should be, one by one: a plan has
/// the document twice.
pub fn plan_all<'a>(
    snapshot: &'a Snapshot,
    paths: &'a Paths,
) -> impl Iterator<Item = DocumentUpdate<'a>> {
    plan_each(snapshot, paths, snapshot.state.goals.in_turn(|_| true))
}

/// Plans the documents of those of these goals whose document is not as it should be.
pub fn plan_each<'a>(
    snapshot: &'a Snapshot,
    paths: &'a Paths,
    goals: impl IntoIterator<Item = Cow<'a, Goal>>,
) -> impl Iterator<Item = DocumentUpdate<'a>> {
    let goals = goals.into_iter();
    goals.filter_map(|goal| match plan(snapshot, paths, &goal) {
        Ok(Some(plan)) if !plan.does_nothing() => Some((goal, Ok(plan))),
        Ok(_) => None,
        Err(error) => Some((goal, Err(error))),
    })
}

fn render(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
    path: &Utf8Path,
    notes: &str,
) -> Result<String, ProjectionError> {
    let rendered = document(
        goal,
        &DocumentInput {
            path: paths.relative(path).as_str(),
            revision: snapshot.revision(goal)?,
            event: goal.latest.map(|line| snapshot.id(line)).transpose()?,
            audited: snapshot.audited(goal)?,
        },
    );
    Ok(compose(&rendered.header, &rendered.body, notes))
}
