//! Projections: what each goal's document should be, and putting it there
//! (docs/design/documents.md#rendering).
//!
//! A plan is made first and carried out second, so that `doctor` can tell what `repair` would do.
//! Only goals of which a line is ours have documents of ours; the Notes belong to people and are
//! carried over byte for byte.

use camino::{Utf8Path, Utf8PathBuf};

use crate::documents::compose::{Scalar, compose, is_uncommented};
use crate::documents::error::DocumentError;
use crate::documents::header::{Style, style};
use crate::documents::notes::{is_edited, is_merged, notes_of};
use crate::documents::splice::{HeaderChange, HeaderStatus, edit};
use crate::documents::store::{
    self, ArchiveError, Entry, FileError, ReplaceError, archive, keep_original, replace,
};
use crate::domain::actor::Actor;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::id::GoalId;
use crate::render::document::{DocumentInput, document};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::workspace::Paths;
use crate::workspace::document_name::DocumentKind;

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
    /// Where it is to be moved afterwards.
    pub move_to: Option<Utf8PathBuf>,
}

/// Why a document could not be planned or put in place. The ledger is right all the same.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
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
        self.move_to.is_none() && self.before.as_deref() == Some(&self.after)
    }

    /// Puts the document in place. Does nothing for an empty plan. Gives the copy that it kept of
    /// an edited one.
    ///
    /// # Errors
    /// Somebody edited it since the plan was made, or the file system refuses. Whatever was not
    /// done is found again by the next plan.
    pub fn carry_out(&self) -> Result<Option<Utf8PathBuf>, ProjectionError> {
        let kept = match (self.edited, &self.before) {
            (true, Some(before)) => Some(keep_original(&self.path, before)?),
            _ => None,
        };
        replace(&self.path, self.before.as_deref(), &self.after)?;
        if let Some(to) = &self.move_to {
            archive(&self.path, to)?;
        }
        Ok(kept)
    }
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

/// Plans the document of one goal; nothing for a goal that another tool keeps.
///
/// # Errors
/// Its document cannot be read: what is there is left alone.
pub fn plan(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<Option<Plan>, ProjectionError> {
    if goal.keeper != Keeper::Ours || !goal.created {
        return Ok(None);
    }
    let place = place(snapshot, paths, goal)?;
    let Some(place) = place else { return Ok(None) };
    let before = match store::read(&place.path) {
        Ok(text) => Some(text),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error.into()),
    };
    let ends_at = place.move_to.as_deref().unwrap_or(&place.path);
    let legacy = before
        .as_deref()
        .filter(|text| style(text) == Style::BareJson);
    let after = match legacy {
        Some(text) => edit(text, &header(goal))?,
        None => {
            let notes = before.as_deref().and_then(notes_of).unwrap_or_default();
            let after = render(snapshot, paths, goal, ends_at, notes)?;
            match &before {
                Some(before) if is_uncommented(before, &after) => before.clone(),
                _ => after,
            }
        }
    };
    let edited = legacy.is_none()
        && before
            .as_deref()
            .is_some_and(|text| *text != *after && is_edited(text) && !is_merged(text));
    Ok(Some(Plan {
        goal_id: goal.id.clone(),
        path: place.path,
        before: before.map(String::into_bytes),
        after: after.into_bytes(),
        edited,
        move_to: place.move_to,
    }))
}

/// A goal, and what is to be done to its document or why that cannot be told.
pub type Planned = (GoalId, Result<Plan, ProjectionError>);

/// Plans the documents of all goals whose document is not as it should be, one by one: a plan has
/// the document twice.
pub fn plan_all(snapshot: &Snapshot, paths: &Paths) -> impl Iterator<Item = Planned> {
    plan_each(snapshot, paths, snapshot.state.in_order())
}

/// Plans the documents of those of these goals whose document is not as it should be.
pub fn plan_each<'a>(
    snapshot: &Snapshot,
    paths: &Paths,
    goals: impl IntoIterator<Item = &'a Goal>,
) -> impl Iterator<Item = Planned> {
    let goals = goals.into_iter();
    goals.filter_map(|goal| match plan(snapshot, paths, goal) {
        Ok(Some(plan)) if !plan.is_empty() => Some((goal.id.clone(), Ok(plan))),
        Ok(_) => None,
        Err(error) => Some((goal.id.clone(), Err(error))),
    })
}

struct Place {
    path: Utf8PathBuf,
    move_to: Option<Utf8PathBuf>,
}

/// Where a goal's document lies or belongs; nothing when it lies archived as another tool's.
fn place(
    snapshot: &Snapshot,
    paths: &Paths,
    goal: &Goal,
) -> Result<Option<Place>, ProjectionError> {
    // The archive may be long: it is looked into only for a goal that has no document elsewhere.
    let active = snapshot.active_document_of(&goal.id)?;
    let archived = match active {
        Some(_) => None,
        None => snapshot.archived_document_of(&goal.id)?,
    };
    let new_active = || paths.document(DocumentKind::Active, &goal.created_at, &goal.id);
    let stay = |path: Utf8PathBuf| {
        Ok(Some(Place {
            path,
            move_to: None,
        }))
    };
    if goal.status.is_open() {
        return match (active, archived) {
            (Some(entry), _) => stay(entry.path.clone()),
            (None, Some(entry)) if is_ours(entry)? => {
                // Somebody moved it without an event; its Notes go back with it.
                Ok(Some(Place {
                    path: entry.path.clone(),
                    move_to: Some(new_active()),
                }))
            }
            (None, _) => stay(new_active()),
        };
    }
    let ended_at = goal.ended_at.as_deref().unwrap_or(&goal.updated_at);
    let new_archived = || paths.document(DocumentKind::Archived, ended_at, &goal.id);
    match (active, archived) {
        (Some(entry), _) => Ok(Some(Place {
            path: entry.path.clone(),
            move_to: Some(new_archived()),
        })),
        (None, Some(entry)) if is_ours(entry)? => stay(entry.path.clone()),
        (None, Some(_)) => Ok(None),
        // It is made where open ones lie and moved like any other.
        (None, None) => Ok(Some(Place {
            path: new_active(),
            move_to: Some(new_archived()),
        })),
    }
}

fn is_ours(entry: &Entry) -> Result<bool, FileError> {
    Ok(style(&store::read(&entry.path)?) != Style::BareJson)
}

/// What a document of the older extension is told: `auto_continue` is false while the goal is not
/// active, or that tool takes it up again.
fn header(goal: &Goal) -> HeaderChange {
    let active = goal.status == Status::Active;
    let pause = goal.pause.as_ref();
    let stopped_by = |actor: Option<Actor>| match actor {
        Some(Actor::Agent) => "agent",
        _ => "user",
    };
    HeaderChange {
        status: if active {
            HeaderStatus::Active
        } else {
            HeaderStatus::Paused
        },
        auto_continue: active && goal.contract.auto_continue,
        stop_reason: (!active).then(|| stopped_by(pause.and_then(|pause| pause.by)).to_owned()),
        pause_reason: pause.map(|pause| pause.reason.clone()),
        pause_suggested_action: pause.and_then(|pause| pause.suggested_action.clone()),
        updated_at: goal.updated_at.clone(),
    }
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
    let pairs: Vec<(&str, Scalar<'_>)> = rendered
        .header
        .iter()
        .map(|(key, value)| {
            let scalar = match value {
                serde_json::Value::Bool(flag) => Scalar::Flag(*flag),
                serde_json::Value::String(text) => Scalar::Text(text),
                // Frontmatter holds texts and flags only.
                _ => Scalar::Text(""),
            };
            (*key, scalar)
        })
        .collect();
    Ok(compose(&pairs, &rendered.body, notes))
}
