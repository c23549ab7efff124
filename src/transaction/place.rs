//! Where a ledger may begin: not in the home directory, and not where there are signs that this project
//! has one already, which is only not here. One that lies above is another project's, and is named.

use camino::{Utf8Path, Utf8PathBuf};

use crate::documents::header::{Style, style};
use crate::documents::ours;
use crate::documents::store::{self, Entry, scan};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::snapshot::copies::united;
use crate::transaction::{pending, stamp_of};
use crate::workspace::document_name::DocumentKind;
use crate::workspace::git::{index_knows, is_repository};
use crate::workspace::spare::Spare;
use crate::workspace::tip::TipStamp;
use crate::workspace::{Workspace, programs};

/// Why no ledger begins here.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Everything is below it.
    #[error("goals do not begin in {root}, since nobody named it: every project lies below it")]
    TooWide { root: Utf8PathBuf },
    /// There was one.
    #[error("the ledger {ledger} is missing, and {}", .signs.told())]
    Missing {
        ledger: Utf8PathBuf,
        signs: Box<Signs>,
    },
    /// It is git's own directory, whose work trees have the goals.
    #[error(
        "{root} is a repository of git, not a work tree: goals are looked for in a work tree, and there \
         is none here"
    )]
    NoTree { root: Utf8PathBuf },
    /// Nobody knows where the home is.
    #[error(
        "{dot_git} points to a repository that is not there, and the ledger is in that repository: \
         nothing is recorded"
    )]
    Unresolved { dot_git: Utf8PathBuf },
}

/// What says that this project has a ledger, although none is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signs {
    /// Documents that were made from it.
    pub documents: usize,
    /// Git's index knows it: it was deleted, or a sparse checkout leaves it out.
    pub in_git: bool,
    /// The last line that this user appended to it.
    pub stamp: Option<TipStamp>,
    /// A run has left a copy of it.
    pub copy: bool,
}

impl Signs {
    fn told(&self) -> String {
        let documents = match self.documents {
            0 => None,
            1 => Some("1 document here was made from it".to_owned()),
            more => Some(format!("{more} documents here were made from it")),
        };
        let in_git = self.in_git.then(|| "git's index has it".to_owned());
        let stamp = self.stamp.as_ref().map(|stamp| {
            format!(
                "you appended to it before (line {}, {})",
                stamp.lines, stamp.tip
            )
        });
        let copy = self.copy.then(|| "a run has kept a copy of it".to_owned());
        let told = [documents, in_git, stamp, copy];
        told.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// How it comes back, and what to do where it does not.
    fn hint(&self) -> String {
        let back = match self.in_git {
            _ if self.copy => "bring it back with `goal repair`: a run has kept a copy of it",
            true => {
                "bring it back with `git restore .pi/goals/goal_events.jsonl`, or where a sparse \
                 checkout leaves it out with `git sparse-checkout add .pi/goals`"
            }
            false => "put it back from where it went: a branch, a stash, another clone, a backup",
        };
        format!("{back}; `goal init --new` begins a new one and names what is left behind")
    }
}

impl PlaceError {
    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            PlaceError::TooWide { root } => {
                format!("go to a project's directory, or name this one with `--root {root}`")
            }
            PlaceError::Missing { signs, .. } => signs.hint(),
            PlaceError::NoTree { .. } => {
                "`git worktree list` names its work trees; go to one, or name it with `--root`".into()
            }
            PlaceError::Unresolved { .. } => {
                "run it where the repository is, as by the tools of `goal mcp` or of the host's \
                 extension outside of the container; or give the container the repository; or where it \
                 was moved, run `git worktree repair` there"
                    .into()
            }
        }
    }
}

/// Whether a ledger may begin at this root, where there is none.
pub fn may_begin(workspace: &Workspace) -> Result<(), PlaceError> {
    let signs = signs(workspace);
    // Looked at after the signs: each is made later than the ledger, so where another process has
    // just begun it, it is here by now.
    if has_ledger(workspace) {
        return Ok(());
    }
    if let Some(signs) = signs {
        let ledger = workspace.paths.events();
        let signs = Box::new(signs);
        return Err(PlaceError::Missing { ledger, signs });
    }
    may_be_set_up(workspace)
}

/// Refuses to write where nobody knows the home of the ledger.
///
/// # Errors
/// [`PlaceError::Unresolved`]
pub fn must_resolve(workspace: &Workspace) -> Result<(), PlaceError> {
    match workspace.paths.unresolved() {
        None => Ok(()),
        Some(dot_git) => Err(PlaceError::Unresolved {
            dot_git: dot_git.to_owned(),
        }),
    }
}

/// Whether goals may be set up at this root, as far as its place goes.
///
/// # Errors
/// [`PlaceError::NoTree`] and [`PlaceError::TooWide`].
pub fn may_be_set_up(workspace: &Workspace) -> Result<(), PlaceError> {
    let root = workspace.root.path.clone();
    match workspace.root.is_too_wide {
        _ if is_repository(&root) => Err(PlaceError::NoTree { root }),
        true => Err(PlaceError::TooWide { root }),
        false => Ok(()),
    }
}

/// That a directory above has a ledger, where this project has no goals yet: it is said once, by the call
/// that sets goals up here.
pub fn above(workspace: &Workspace) -> Option<Diagnostic> {
    // A linked work tree may lie in the main one: that is the same project.
    let git = workspace.paths.git();
    let is_other = |above: &&Utf8PathBuf| !git.is_some_and(|git| git.others().contains(above));
    let above = workspace.root.above.as_ref().filter(is_other)?;
    if has_ledger(workspace) {
        return None;
    }
    let root = &workspace.root.path;
    Some(Diagnostic::new(
        Code::LedgerAbove,
        format!("{root} has goals of its own, and a ledger lies above it, in {above}"),
        format!("`--root {above}` (or GOAL_ROOT) means that one"),
    ))
}

/// What whoever only reads is told of the ledger's place: that it is missing, or that lines of the file
/// here do not count.
pub fn remarks(workspace: &Workspace) -> Vec<Diagnostic> {
    if has_ledger(workspace) {
        // What cannot be read is refused where it is needed.
        let united = united(&workspace.paths).ok();
        let found = united.and_then(|it| it.found).into_iter();
        return found.chain(pending::remark(&workspace.paths)).collect();
    }
    let remark = match may_begin(workspace) {
        Err(error @ PlaceError::Missing { .. }) => Some((Code::LedgerMissing, error)),
        Err(error @ PlaceError::NoTree { .. }) => Some((Code::NoWorkTree, error)),
        Ok(()) | Err(_) => None,
    };
    let told =
        |(code, error): (Code, PlaceError)| Diagnostic::new(code, error.to_string(), error.hint());
    remark.map(told).into_iter().collect()
}

/// What somebody is told in place of goals where the ledger is missing: sentences, for a person or a
/// model.
pub fn lost(workspace: &Workspace) -> Option<String> {
    missing(workspace).map(|Diagnostic { message, hint, .. }| {
        format!(
            "No goal can be shown: {message}. Nothing can be recorded until it is back. Tell the user: \
             {hint}."
        )
    })
}

/// That the ledger is missing, where it is.
pub fn missing(workspace: &Workspace) -> Option<Diagnostic> {
    remarks(workspace)
        .into_iter()
        .find(|it| it.code == Code::LedgerMissing)
}

/// Whether anything stands where the ledger belongs.
pub fn has_ledger(workspace: &Workspace) -> bool {
    workspace.paths.to_read().symlink_metadata().is_ok()
}

/// Whether the project had a ledger, which is not here.
pub fn is_missing(workspace: &Workspace) -> bool {
    !has_ledger(workspace) && signs(workspace).is_some()
}

/// The signs of a ledger that is not here; nothing where there are none.
pub fn signs(workspace: &Workspace) -> Option<Signs> {
    let root = &workspace.root.path;
    let paths = &workspace.paths;
    let environment = &workspace.environment;
    let git = programs::find(environment.search_path.as_deref(), "git");
    let file = paths.file();
    let in_git = |git: &std::path::PathBuf| index_knows(git, root, paths.relative(&file));
    let documents = [
        (paths.own().to_owned(), DocumentKind::Active),
        (paths.archived(), DocumentKind::Archived),
    ];
    let signs = Signs {
        documents: documents
            .iter()
            .map(|(dir, kind)| made_by_us(dir, *kind))
            .sum(),
        in_git: git.as_ref().is_some_and(in_git),
        stamp: stamp_of(workspace).stamp.filter(|it| it.lines > 0),
        copy: Spare::of(workspace).is_some_and(|spare| spare.exists()),
    };
    let any = signs.copy || signs.documents > 0 || signs.in_git || signs.stamp.is_some();
    any.then_some(signs)
}

/// Whether a document is ours. Only what we render carries a digest.
fn is_ours(path: &Utf8Path) -> bool {
    let is_made_by_us = |text: &str| ours::parse(text).is_ok_and(|it| it.digest.is_some());
    let text = store::read(path);
    text.is_ok_and(|text| style(&text) != Style::BareJson && is_made_by_us(&text))
}

/// How many documents in this directory are ours: an older extension's need no ledger.
fn made_by_us(dir: &Utf8Path, kind: DocumentKind) -> usize {
    let is_ours = |entry: &&Entry| is_ours(&entry.path);
    // What cannot be listed is refused by who reads it.
    scan(dir, kind).map_or(0, |found| found.entries.iter().filter(is_ours).count())
}
