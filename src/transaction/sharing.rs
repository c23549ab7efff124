//! The ledger moves: from a work tree to the home that all work trees of a repository share, and back
//! (docs/worktrees.md). Lines are copied byte for byte and never left out, so a move that was killed
//! half-way is done again by the next one.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::checkout::refuse_unfinished_merge;
use super::documents::project;
use super::incoming::{lacking, take_in};
use super::place::{self, PlaceError};
use super::sealing::Sealing;
use super::{TransactionError, batch, sealing};
use crate::documents::store::{self, scan};
use crate::domain::actor::Caller;
use crate::domain::decide::{By, PendingEvent};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::{LedgerMoved, Payload};
use crate::ledger::append::Writer;
use crate::ledger::lock::{FileLock, Lock};
use crate::ledger::open;
use crate::snapshot::Snapshot;
use crate::workspace::accepted::Accepted;
use crate::workspace::config::{HomePlace, resolve};
use crate::workspace::document_name::DocumentKind;
use crate::workspace::gate;
use crate::workspace::home::{self, GitTree};
use crate::workspace::looked::LastLook;
use crate::workspace::paths::PathError;
use crate::workspace::records::OfRoot;
use crate::workspace::tip::TipStamp;
use crate::workspace::{Paths, Workspace};

/// What a move did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The directory that has the ledger now.
    pub home: Utf8PathBuf,
    /// The work tree whose ledger it is, where it had one.
    pub from: Option<Utf8PathBuf>,
    /// Lines that were copied.
    pub lines: u64,
    /// Documents that went along.
    pub documents: u64,
}

/// Makes the home that all work trees share, of the ledger of this work tree, or where it has none or
/// only one that was left behind, of another one's. Nothing where it is there already.
pub fn share(
    workspace: &Workspace,
    caller: &Caller,
    wait: Duration,
) -> Result<Option<Moved>, TransactionError> {
    let paths = &workspace.paths;
    let git = shareable(paths)?;
    let others = git.others().into_iter().map(|tree| Paths::new(&tree));
    let candidates = std::iter::once(paths.clone()).chain(others);
    let mut candidates = candidates.map(|it| it.in_tree());
    let source = candidates.find(|it| home::has_ledger(&it.events()));
    let source = source.unwrap_or_else(|| paths.in_tree());
    let lock = match source.own().is_dir() {
        true => Some(Lock::acquire(source.own(), wait)?),
        false => None,
    };
    if paths.shared().is_some() {
        return Ok(None);
    }
    refuse_busy(&source)?;
    let before = Snapshot::read(&source)?;
    refuse_unfinished_merge(&source, &before)?;
    let home = git.shared();
    let made = git
        .common()
        .join(format!("goal.new-{}", std::process::id()));
    let documents =
        build(&made, &source, workspace.environment.entropy()).map_err(unusable(&made))?;
    match fs::rename(&made, &home) {
        Ok(()) => sync(git.common()).map_err(unusable(git.common()))?,
        // Another work tree was faster, and its ledger is the home: this one is taken in.
        Err(_) if paths.shared().is_some() => {
            fs::remove_dir_all(&made).map_err(unusable(&made))?;
            return Ok(None);
        }
        Err(error) => return Err(unusable(&home)(error).into()),
    }
    carry_records(workspace, source.tree(), &home);
    if let Some(lock) = &lock {
        let sealing = sealing::sealing(workspace, &before, &mut Vec::new())?;
        mark_as_moved(
            workspace,
            (&source, lock),
            caller,
            sealing.as_ref(),
            "repository",
        )?;
        for path in documents.iter().filter(|path| place::is_ours(path)) {
            fs::remove_file(path).map_err(unusable(path))?;
        }
    }
    let from = lock.is_some().then(|| source.tree().to_owned());
    // Who takes lines in has the home's lock first.
    drop(lock);
    {
        let _lock = Lock::acquire(&home, wait)?;
        let _said_by_the_next = project(workspace, &Snapshot::read(&paths.uncached())?, None);
    }
    Ok(Some(Moved {
        home,
        from,
        lines: before.extent.lines,
        documents: documents.len() as u64,
    }))
}

/// Makes the shared home where it is wanted, and takes in what this work tree has beside it. What was
/// done is said.
pub fn gather(
    workspace: &Workspace,
    caller: &Caller,
    wait: Duration,
) -> Result<Vec<Diagnostic>, TransactionError> {
    let made = share_where_wanted(workspace, caller, wait)?;
    Ok(made
        .into_iter()
        .chain(take_in(workspace, caller, wait)?)
        .collect())
}

/// Makes the shared home in a fresh clone, where the configuration wants one. Where something was
/// recorded on this machine already, only the user moves the ledger: an agent can write the
/// configuration too.
fn share_where_wanted(
    workspace: &Workspace,
    caller: &Caller,
    wait: Duration,
) -> Result<Option<Diagnostic>, TransactionError> {
    let paths = &workspace.paths;
    let Ok(git) = shareable(paths) else {
        return Ok(None);
    };
    if paths.shared().is_some() || !wants_to_share(workspace) || was_used(workspace, git) {
        return Ok(None);
    }
    // One that is missing is to be brought back before anything begins in its place.
    if place::is_missing(workspace) {
        return Ok(None);
    }
    let Some(moved) = share(workspace, caller, wait)? else {
        return Ok(None);
    };
    Ok(Some(Diagnostic::new(
        Code::LinesTakenIn,
        format!(
            "all work trees of this repository share one ledger now, in {}, as `[ledger] home` says",
            moved.home
        ),
        "nothing to do; docs/worktrees.md says what that means",
    )))
}

/// Whether this user has recorded anything in a work tree of this repository.
fn was_used(workspace: &Workspace, git: &GitTree) -> bool {
    let dirs = workspace.environment.dirs.as_ref();
    let trees = std::iter::once(workspace.paths.tree().to_owned()).chain(git.others());
    let own = workspace.own_key();
    dirs.is_some_and(|dirs| {
        let mut stamps = trees.map(|tree| TipStamp::read(&dirs.state, &tree, own.as_ref()));
        stamps.any(|stamp| stamp.whole().is_some_and(|it| it.lines > 0))
    })
}

/// Whether the configuration says that all work trees share the ledger.
pub fn wants_to_share(workspace: &Workspace) -> bool {
    // One that cannot be read is in the way only of those who need it.
    let config = workspace.config_files().ok();
    config.is_some_and(|it| resolve(&it).keys.ledger.home.value == HomePlace::Repository)
}

/// Gives the ledger back to this work tree. The shared home stays beside it under another name.
pub fn unshare(
    workspace: &Workspace,
    caller: &Caller,
    wait: Duration,
) -> Result<Moved, TransactionError> {
    let paths = &workspace.paths;
    let Some(home) = paths.shared().map(Utf8Path::to_owned) else {
        return Err(PlaceError::NotShared.into());
    };
    paths.check()?;
    let home_lock = Lock::acquire(&home, wait)?;
    refuse_busy(paths)?;
    paths.create()?;
    let tree = paths.in_tree();
    let tree_lock = Lock::acquire(tree.own(), wait)?;
    let there = Snapshot::read(&paths.uncached())?;
    if let Some(ledger) = there.state.store.clone() {
        return Err(PlaceError::InStore { ledger }.into());
    }
    let sealing = sealing::sealing(workspace, &there, &mut Vec::new())?;
    let writer = Writer::open(&tree_lock, &tree.events())?;
    let before = Snapshot::of_open(writer.file(), &tree)?;
    let lines = lacking(&before, &there, false)?;
    let count = lines.len() as u64;
    writer.append(&lines, &before.extent, || {})?;
    let mut documents = 0;
    for (from, to) in [
        (home.clone(), tree.own().to_owned()),
        (paths.archived(), tree.archived()),
    ] {
        documents += copy_documents(&from, &to, true)
            .map_err(unusable(&to))?
            .len() as u64;
    }
    mark_as_moved(
        workspace,
        (&paths.uncached(), &home_lock),
        caller,
        sealing.as_ref(),
        "tree",
    )?;
    carry_records(workspace, &home, tree.tree());
    let aside = format!("{home}.moved-{}", workspace.environment.now_millis());
    fs::rename(&home, &aside).map_err(unusable(&home))?;
    let _said_by_the_next = project(workspace, &Snapshot::read(&tree)?, None);
    Ok(Moved {
        home: tree.own().to_owned(),
        from: Some(aside.into()),
        lines: count,
        documents,
    })
}

fn shareable(paths: &Paths) -> Result<&GitTree, PlaceError> {
    match paths.git() {
        Some(git) if !git.goes_with_a_tree() => Ok(git),
        Some(_) => Err(PlaceError::Unshareable {
            tree: paths.tree().to_owned(),
            why: "git keeps this submodule in the directory of a linked work tree, and removes it \
                  with that",
        }),
        None => Err(PlaceError::Unshareable {
            tree: paths.tree().to_owned(),
            why: "it is not the top of a git work tree",
        }),
    }
}

/// Refuses to move the ledger from under a process that works with it.
fn refuse_busy(paths: &Paths) -> Result<(), TransactionError> {
    let Ok(entries) = paths.locks().read_dir_utf8() else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let held = match entry.path().extension() {
            Some("audit" | "run" | "step" | "plan" | "sync") => !FileLock::is_free(entry.path())?,
            _ => false,
        };
        if held {
            let lock = entry.path().to_owned();
            return Err(PlaceError::Busy { lock }.into());
        }
    }
    Ok(())
}

/// Makes a home in `made`, with the ledger, the documents and the leases of `source`. Gives the
/// documents that were copied.
fn build(made: &Utf8Path, source: &Paths, entropy: u64) -> io::Result<Vec<Utf8PathBuf>> {
    match fs::remove_dir_all(made) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir(made)?,
    }
    GitTree::name_clone(made, entropy)?;
    if source.events().symlink_metadata().is_ok() {
        let events = made.join("goal_events.jsonl");
        copy(&source.events(), &events)?;
        let events = File::options().read(true).write(true).open(events)?;
        // That of a fresh clone says that it went where this one is being made.
        if let Some(end) = home::left_behind_at(&events) {
            events.set_len(end)?;
        }
    }
    let mut documents = copy_documents(source.own(), made, true)?;
    documents.extend(copy_documents(
        &source.archived(),
        &made.join("archived"),
        true,
    )?);
    if let Ok(locks) = source.locks().read_dir_utf8() {
        fs::create_dir(made.join(".locks"))?;
        for entry in locks.flatten() {
            if entry.path().extension() == Some("lock") && entry.file_type()?.is_file() {
                copy(entry.path(), &made.join(".locks").join(entry.file_name()))?;
            }
        }
    }
    sync(made)?;
    Ok(documents)
}

/// Copies the documents of goals. With `all` also those of other tools, and over copies of ours that
/// are there; without it only those of ours for whose goals there is none. Gives those that it copied.
pub(super) fn copy_documents(
    from: &Utf8Path,
    to: &Utf8Path,
    all: bool,
) -> io::Result<Vec<Utf8PathBuf>> {
    let kind = match from.file_name() {
        Some("archived") => DocumentKind::Archived,
        _ => DocumentKind::Active,
    };
    let there: BTreeSet<_> = scan_of(to, kind).into_iter().map(|it| it.id).collect();
    let mut copied = Vec::new();
    for entry in scan_of(from, kind) {
        let name = entry.path.file_name().unwrap_or_default();
        let target = to.join(name);
        let wanted = match all {
            true => !target.exists() || place::is_ours(&target),
            false => place::is_ours(&entry.path) && !there.contains(&entry.id),
        };
        if wanted {
            fs::create_dir_all(to)?;
            copy(&entry.path, &target)?;
            copied.push(entry.path);
        }
    }
    Ok(copied)
}

fn scan_of(dir: &Utf8Path, kind: DocumentKind) -> Vec<store::Entry> {
    // What cannot be listed is refused by who reads it.
    scan(dir, kind).map(|it| it.entries).unwrap_or_default()
}

/// Half a document would be taken for one that somebody else wrote, so it gets its name last.
fn copy(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    let Some(mut source) = open::read(from).map_err(io::Error::other)? else {
        return Ok(());
    };
    let temporary = format!("{to}.tmp");
    let mut target = File::create(&temporary)?;
    io::copy(&mut source, &mut target)?;
    target.sync_all()?;
    fs::rename(temporary, to)
}

fn sync(dir: &Utf8Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Says at the end of a ledger that it goes on elsewhere, if it does not say so already.
pub(super) fn mark_as_moved(
    workspace: &Workspace,
    (paths, lock): (&Paths, &Lock),
    caller: &Caller,
    sealing: Option<&Sealing>,
    to: &str,
) -> Result<(), TransactionError> {
    let writer = Writer::open(lock, &paths.events())?;
    if writer.file().is_none() {
        return Ok(());
    }
    let before = Snapshot::of_open(writer.file(), paths)?;
    let last = before
        .state
        .tip
        .map(|line| before.event(line))
        .transpose()?;
    if let Some(Some(last)) = last
        && matches!(last.payload, Payload::LedgerMoved(_))
    {
        return Ok(());
    }
    let moved = PendingEvent {
        goal_id: None,
        payload: LedgerMoved { to: to.to_owned() }.into(),
        by: By::Caller,
    };
    let batch = batch::compose(workspace, &before, vec![moved], caller, None, sealing, None)?;
    writer.append(&batch.lines, &before.extent, || {})?;
    Ok(())
}

/// What the user's own directories say of the ledger goes with it. What cannot be written is as if
/// the ledger were new here.
fn carry_records(workspace: &Workspace, from: &Utf8Path, to: &Utf8Path) {
    if let Some(own) = &workspace.environment.dirs {
        if let Some(looked) = LastLook::read(&own.state, from) {
            let root = to.to_owned();
            let _best_effort = LastLook { root, ..looked }.write(&own.state);
        }
        if let Some(key) = workspace.own_key() {
            let _best_effort = TipStamp::carry(&own.state, from, to, &key);
            let _best_effort = Accepted::carry(&own.state, from, to, &key);
            let _best_effort = gate::carry(&own.state, from, to, &key);
        }
    }
}

pub(super) fn unusable(path: &Utf8Path) -> impl FnOnce(io::Error) -> PathError {
    let path = path.to_owned();
    move |cause| PathError::Io { path, cause }
}
