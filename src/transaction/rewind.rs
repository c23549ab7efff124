//! The stamp of the latest append: tells a ledger that was wound back, and documents that may be
//! stale (DESIGN §3.5).

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::tip::TipStamp;

/// A notice when the last line that this user appended here is gone from the ledger.
pub fn rewound(workspace: &Workspace, now: &Snapshot) -> Option<Diagnostic> {
    let stamp = read(workspace)?;
    if stands(&stamp, now) || now.contains(stamp.tip).unwrap_or(true) {
        return None;
    }
    let lost = stamp.lines.saturating_sub(now.extent.lines);
    let how_many = match lost {
        0 => "lines that were appended here are".to_owned(),
        1 => "at least 1 line that was appended here is".to_owned(),
        more => format!("at least {more} lines that were appended here are"),
    };
    Some(Diagnostic::new(
        Code::LedgerRewound,
        format!("{how_many} gone from the ledger: a stash, a reset or a checkout took them back"),
        "git's stash (`git stash list`) or reflog (`git reflog`) has them",
    ))
}

/// Whether the latest append here is this ledger's tip: then its transaction finished, and no
/// document is stale but those of the goals that are touched now, unless the stamp says that one
/// could not be put in place. The stamp is written last.
pub fn was_projected(workspace: &Workspace, before: &Snapshot) -> bool {
    let Some(tip) = before.state.tip else {
        return before.extent.lines == 0;
    };
    read(workspace)
        .is_some_and(|stamp| stamp.projected && stamp.line() == Some(tip) && stands(&stamp, before))
}

/// Leaves the stamp of an append, `projected` when all documents are up to date. Best effort:
/// without it the next transaction only looks at more documents.
pub fn stamp(workspace: &Workspace, line: LineRef, id: EventId, projected: bool) {
    if let Some(dirs) = &workspace.environment.dirs {
        let stamp = TipStamp::new(&workspace.root.path, line, id, projected);
        // Nothing depends on it, and a read-only home must not fail what is recorded.
        let _best_effort = stamp.write(&dirs.state);
    }
}

fn read(workspace: &Workspace) -> Option<TipStamp> {
    let dirs = workspace.environment.dirs.as_ref()?;
    TipStamp::read(&dirs.state, &workspace.root.path)
}

fn stands(stamp: &TipStamp, now: &Snapshot) -> bool {
    let line = stamp
        .line()
        .filter(|line| line.offset + u64::from(line.len) <= now.extent.len);
    line.is_some_and(|line| now.id(line).is_ok_and(|id| id == stamp.tip))
}
