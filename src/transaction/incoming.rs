//! Lines come into the shared ledger from elsewhere: from a work tree's own file beside it, and from
//! other clones (docs/worktrees.md). They are appended byte for byte.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use camino::Utf8Path;

use super::documents::project;
use super::kept::Kept::AsItSays;
use super::sharing::{copy_documents, mark_as_moved, unusable};
use super::{TransactionError, in_turn, sealing, until_it_stays};
use crate::domain::actor::Caller;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Payload;
use crate::domain::exchange::{self, Piece};
use crate::domain::id::EventId;
use crate::domain::wire::Decoded;
use crate::ledger::lock::Lock;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

/// Takes in what this work tree's own file has and the shared ledger lacks: the lines of ours, and
/// what stands before the last of them. Says so.
pub(super) fn take_in(
    workspace: &Workspace,
    caller: &Caller,
    wait: Duration,
) -> Result<Option<Diagnostic>, TransactionError> {
    let paths = &workspace.paths;
    let (Some(home), Some(git)) = (paths.shared(), paths.git()) else {
        return Ok(None);
    };
    let tree = paths.in_tree();
    let seen = home.join("trees").join(git.key());
    let as_it_is = || stamp_of_file(&tree.events());
    let Some(now) = as_it_is() else {
        return Ok(None);
    };
    if fs::read_to_string(&seen).is_ok_and(|text| text == now) {
        return Ok(None);
    }
    let whole = paths.uncached();
    let taken = in_turn(
        workspace,
        &whole,
        wait,
        AsItSays,
        |turn, before, mut notices| {
            let lock = Lock::acquire(tree.own(), wait)?;
            let theirs = Snapshot::read(&tree)?;
            let mut found = theirs.diagnostics.iter();
            if found.any(|it| it.code == Code::ConflictMarker) {
                // Git has not finished a merge there: its markers are no lines of anybody.
                return Ok(None);
            }
            let lines = lacking(&before, &theirs, true)?;
            if lines.is_empty() {
                return Ok(None);
            }
            let sealing = sealing::sealing(workspace, &before, &mut notices)?;
            turn.append(&lines, &before.extent, || {})?;
            mark_as_moved(
                workspace,
                (&tree, &lock),
                caller,
                sealing.as_ref(),
                "repository",
            )?;
            for (from, to) in [
                (tree.own().to_owned(), home.to_owned()),
                (tree.archived(), paths.archived()),
            ] {
                for path in copy_documents(&from, &to, false).map_err(unusable(&to))? {
                    fs::remove_file(&path).map_err(unusable(&path))?;
                }
            }
            Ok(Some(lines.len()))
        },
    )?;
    if let Some(now) = as_it_is() {
        // Without it the next transaction looks again.
        let _best_effort =
            fs::create_dir_all(home.join("trees")).and_then(|()| fs::write(&seen, now));
    }
    Ok(taken.map(|count| {
        let lines = match count {
            1 => "1 line".to_owned(),
            more => format!("{more} lines"),
        };
        Diagnostic::new(
            Code::LinesTakenIn,
            format!(
                "{lines} of this work tree's own ledger ({}) went into the one that all work trees \
                 share",
                tree.relative(&tree.events())
            ),
            "nothing to do; the file here stays as it is, and ends with a line that says so",
        )
    }))
}

/// By what a file is told from what it was: length, time of change, and inode.
fn stamp_of_file(path: &Utf8Path) -> Option<String> {
    let it = path.symlink_metadata().ok()?;
    Some(format!(
        "{} {}.{} {}",
        it.len(),
        it.mtime(),
        it.mtime_nsec(),
        it.ino()
    ))
}

/// How lines come in.
#[derive(Debug, Clone, Copy)]
pub struct How {
    /// The two ledgers are known to be one, or the user says that they belong together.
    pub related: bool,
    /// Also what follows a line that nobody has.
    pub gaps: bool,
    /// Only look what would come.
    pub dry_run: bool,
    pub lock_timeout: Duration,
}

/// What came of lines that were offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenOver {
    /// So many came in, and so many of ours were left, since they follow a line that nobody has.
    Lines { taken: u64, left: u64 },
    /// The two ledgers have no line in common: nothing came in.
    Unrelated,
}

/// Takes in what is missing here of these lines.
pub fn take_over(
    workspace: &Workspace,
    pieces: &[Piece],
    how: How,
) -> Result<TakenOver, TransactionError> {
    let (paths, wait) = (&workspace.paths, how.lock_timeout);
    until_it_stays(workspace, || {
        in_turn(workspace, paths, wait, AsItSays, |turn, before, _| {
            let missing = before.missing(exchange::ids(pieces))?;
            let is_known = |it: &Piece| !missing.contains(&it.id());
            let related = how.related || before.extent.len == 0;
            if !related && !pieces.iter().any(is_known) {
                return Ok(TakenOver::Unrelated);
            }
            let taken = exchange::taken(pieces.to_vec(), &missing, how.gaps);
            if !how.dry_run && !taken.lines.is_empty() {
                turn.append(&taken.lines, &before.extent, || {})?;
                drop(before);
                let _said_by_the_next = project(workspace, &Snapshot::read(paths)?, None);
            }
            Ok(TakenOver::Lines {
                taken: taken.lines.len() as u64,
                left: taken.unconnected,
            })
        })
    })
}

/// The lines of `theirs` that `here` lacks, in the order of their file, but for those that say where a
/// ledger went. With `ours` only up to the last line of ours among them, and none without one: what
/// another program wrote behind it is still being written here.
pub(super) fn lacking(here: &Snapshot, theirs: &Snapshot, ours: bool) -> io::Result<Vec<String>> {
    let mut lines: Vec<(EventId, bool, String)> = Vec::new();
    theirs.each_line(|raw, decoded| {
        let is_ours = match &decoded {
            Decoded::Blank => return,
            Decoded::Event { event, .. } => {
                if matches!(event.payload, Payload::LedgerMoved(_)) {
                    return;
                }
                event.envelope.is_ours()
            }
            Decoded::Flawed(_) => false,
        };
        // What is no text is no line that anything can name.
        if let Ok(text) = std::str::from_utf8(raw.bytes) {
            lines.push((EventId::of_line(raw.bytes), is_ours, text.to_owned()));
        }
    })?;
    let ids = lines.iter().map(|(id, ..)| *id).collect();
    let mut missing = here.missing(ids)?;
    lines.retain(|(id, ..)| missing.remove(id));
    if ours {
        let last = lines.iter().rposition(|(_, is_ours, _)| *is_ours);
        lines.truncate(last.map_or(0, |last| last + 1));
    }
    Ok(lines.into_iter().map(|(.., text)| text).collect())
}
