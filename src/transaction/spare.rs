//! The ledger is brought back from the copy that a run keeps (docs/runs.md#when-the-agent-deletes-the-ledger).

use std::collections::BTreeSet;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::copies::unusable;
use super::documents::update_documents;
use super::rewind::{Latest, stamp_of};
use super::{GIT_WAIT, TransactionError, until_it_stays};
use crate::ledger::append::Writer;
use crate::ledger::frame::Extent;
use crate::ledger::lines::Lines;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::snapshot::Snapshot;
use crate::snapshot::copies::{Trusted, compare};
use crate::workspace::git::wait_for_index;
use crate::workspace::spare::{InUse, Spare, read_whole};
use crate::workspace::{Paths, Workspace};

/// A copy that is begun.
#[derive(Debug, Default)]
pub struct Begun {
    /// Keeps it while this lives; nothing where the ledger is out of the agent's reach.
    _in_use: Option<InUse>,
    /// The copy of an earlier run, where it had lines that the ledger lacks.
    pub aside: Option<Utf8PathBuf>,
}

/// Begins to keep a copy for a run.
///
/// # Errors
/// See [`TransactionError`].
pub fn begin(workspace: &Workspace, wait: Duration) -> Result<Begun, TransactionError> {
    let Some(spare) = Spare::of(workspace) else {
        return Ok(Begun::default());
    };
    let mut aside = None;
    let copy = spare.copy();
    let (in_use, alone) = spare.in_use().map_err(unusable(&copy))?;
    if alone {
        let _lock = DirLock::acquire(workspace.paths.home(), wait)?;
        let path = workspace.paths.events();
        let ledger = read_whole(&path).map_err(unusable(&path))?;
        let ledger = ledger.unwrap_or_default();
        aside = spare.set_aside(&ledger).map_err(unusable(&copy))?;
        let kept = spare.put(&ledger);
        kept.and_then(|()| spare.put_files())
            .map_err(unusable(&copy))?;
    } else {
        restore(workspace, wait)?;
    }
    Ok(Begun {
        _in_use: Some(in_use),
        aside,
    })
}

/// Keeps what was appended to a ledger of this length in the copy as well, where a run has one.
pub(super) fn keep(workspace: &Workspace, before: &Extent, lines: &[String]) {
    if let Some(spare) = Spare::of(workspace) {
        spare.append(before, lines);
    }
}

/// What was brought back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    pub lines: u64,
    /// The ledger was not there at all; else these lines were missing from it.
    pub whole: bool,
}

/// Brings back what the ledger lacks of the copy, where there is one, and what the copy lacks of the
/// ledger. Says what was brought back.
///
/// # Errors
/// See [`TransactionError`].
pub fn restore(
    workspace: &Workspace,
    wait: Duration,
) -> Result<Option<Restored>, TransactionError> {
    let Some(spare) = Spare::of(workspace).filter(Spare::exists) else {
        return Ok(None);
    };
    let paths = workspace.paths.uncached();
    // Git takes files away and puts them back.
    wait_for_index(&workspace.root.path, GIT_WAIT);
    until_it_stays(workspace, || restore_once(workspace, &spare, &paths, wait))
}

fn restore_once(
    workspace: &Workspace,
    spare: &Spare,
    paths: &Paths,
    wait: Duration,
) -> Result<Option<Restored>, TransactionError> {
    paths.create_where_it_belongs()?;
    paths.check()?;
    let lock = DirLock::acquire(paths.home(), wait)?;
    if !paths.config().exists() {
        spare.restore_files().map_err(unusable(paths.own()))?;
    }
    let events = paths.events();
    let ledger = read_whole(&events).map_err(unusable(&events))?;
    // Read under the lock: who appends to the ledger appends to it.
    let Some(copy) = spare.read() else {
        return Ok(None);
    };
    let restored = match ledger.filter(|it| !it.is_empty()) {
        Some(ledger) if ledger.starts_with(&copy) => {
            // Somebody could not write the copy, or does not know of it.
            spare
                .append_bytes(&ledger[copy.len()..])
                .map_err(unusable(&spare.copy()))?;
            return Ok(None);
        }
        Some(_) => lines(workspace, spare, &spare.copy(), &lock)?,
        None => {
            let back = || {
                if events.symlink_metadata().is_ok() {
                    std::fs::remove_file(&events)?;
                }
                spare.restore_files()?;
                spare.restore_ledger(&copy)
            };
            back().map_err(unusable(&events))?;
            let lines = memchr::memchr_iter(b'\n', &copy).count() as u64;
            Some(Restored { lines, whole: true })
        }
    };
    if restored.is_some() {
        let _said_by_the_next = update_documents(workspace, &Snapshot::read(paths)?, None);
    }
    Ok(restored)
}

/// Brings back the lines that were appended here and are gone from a ledger that is there, where a copy
/// that a run kept has them. How many; with `dry_run` how many it would be.
///
/// # Errors
/// See [`TransactionError`].
pub fn bring_back_lines(
    workspace: &Workspace,
    wait: Duration,
    dry_run: bool,
) -> Result<Option<u64>, TransactionError> {
    let Some(spare) = Spare::of(workspace) else {
        return Ok(None);
    };
    let paths = workspace.paths.uncached();
    paths.check()?;
    let here = Snapshot::read(&paths)?;
    let latest = Latest::of(stamp_of(workspace), &here)?;
    let missing = latest.missing().map(|head| head.id).collect();
    let Some(copy) = spare.copy_with(&missing) else {
        return Ok(None);
    };
    if dry_run {
        let lines = lacking(&paths, &copy)?.len() as u64;
        return Ok((lines > 0).then_some(lines));
    }
    let lock = DirLock::acquire(paths.home(), wait)?;
    let restored = lines(workspace, &spare, &copy, &lock)?;
    Ok(restored.map(|restored| restored.lines))
}

/// Appends the lines of a copy that the ledger lacks, and makes the copy that is kept now, where there is
/// one, what the ledger is then.
fn lines(
    workspace: &Workspace,
    spare: &Spare,
    copy: &Utf8Path,
    lock: &DirLock,
) -> Result<Option<Restored>, TransactionError> {
    let paths = workspace.paths.uncached();
    let events = paths.events();
    let writer = Writer::open(lock, &events)?;
    let here = Snapshot::of_open(writer.file(), &paths)?;
    let missing = lacking(&paths, copy)?;
    if !missing.is_empty() {
        writer.append(&missing, &here.extent)?;
    }
    let now = match spare.exists() {
        true => read_whole(&events).and_then(|now| spare.put(&now.unwrap_or_default())),
        false => Ok(()),
    };
    now.map_err(unusable(&spare.copy()))?;
    let lines = missing.len() as u64;
    Ok((lines > 0).then_some(Restored {
        lines,
        whole: false,
    }))
}

/// The lines of a copy that the ledger lacks.
fn lacking(paths: &Paths, copy: &Utf8Path) -> Result<Vec<String>, TransactionError> {
    let Some(copy) = open::read(copy)? else {
        return Ok(Vec::new());
    };
    let ledger = Lines::new(open::read(&paths.events())?);
    Ok(compare(paths, &ledger, &copy, Trusted::AllBut(&BTreeSet::new()))?.lines)
}
