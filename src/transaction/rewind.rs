//! The stamp of the latest append: tells a ledger that was wound back, and documents that may be
//! stale (docs/design/writing.md#a-ledger-that-was-wound-back).

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::tip::TipStamp;

/// The stamp of the latest append here, beside the ledger as it is now.
#[derive(Debug)]
pub struct Latest {
    stamp: Option<TipStamp>,
    /// The line stands where it was.
    stands: bool,
}

impl Latest {
    /// Reads the stamp, and looks at its line.
    pub fn of(workspace: &Workspace, now: &Snapshot) -> Latest {
        let dirs = workspace.environment.dirs.as_ref();
        let stamp = dirs.and_then(|dirs| TipStamp::read(&dirs.state, &workspace.root.path));
        let stands = stamp.as_ref().is_some_and(|stamp| stands(stamp, now));
        Latest { stamp, stands }
    }

    /// A notice when the line is gone from the ledger.
    pub fn rewound(&self, now: &Snapshot) -> Option<Diagnostic> {
        let gone = self.stamp.as_ref().filter(|_| !self.stands)?;
        let is_elsewhere = now.contains(gone.tip).unwrap_or(true);
        (!is_elsewhere).then(|| taken_back(gone, now))
    }

    /// Whether the latest append here is this ledger's tip: then its transaction finished, and no
    /// document is stale but those of the goals that are touched now, unless the stamp says that
    /// one could not be put in place. The stamp is written last.
    pub fn was_projected(&self, before: &Snapshot) -> bool {
        let Some(tip) = before.state.tip else {
            return before.extent.lines == 0;
        };
        let latest = self.stamp.as_ref().filter(|_| self.stands);
        latest.is_some_and(|stamp| stamp.projected && stamp.line() == Some(tip))
    }
}

/// A notice when the last line that this user appended here is gone from the ledger.
pub fn rewound(workspace: &Workspace, now: &Snapshot) -> Option<Diagnostic> {
    Latest::of(workspace, now).rewound(now)
}

fn taken_back(stamp: &TipStamp, now: &Snapshot) -> Diagnostic {
    let lost = stamp.lines.saturating_sub(now.extent.lines);
    let how_many = match lost {
        0 => "lines that were appended here are".to_owned(),
        1 => "at least 1 line that was appended here is".to_owned(),
        more => format!("at least {more} lines that were appended here are"),
    };
    Diagnostic::new(
        Code::LedgerRewound,
        format!("{how_many} gone from the ledger: a stash, a reset or a checkout took them back"),
        "git's stash (`git stash list`) or reflog (`git reflog`) has them",
    )
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

fn stands(stamp: &TipStamp, now: &Snapshot) -> bool {
    let line = stamp
        .line()
        .filter(|line| line.offset + u64::from(line.len) <= now.extent.len);
    line.is_some_and(|line| now.id(line).is_ok_and(|id| id == stamp.tip))
}
