//! What git has not finished while a line is to be written: a checkout, or a merge
//! (docs/ledger-format.md#after-a-git-merge).

use std::time::Duration;

use super::TransactionError;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::rejection::Rejection;
use crate::snapshot::Snapshot;
use crate::workspace::git::{IndexLock, wait_for_index};
use crate::workspace::{Paths, Workspace};

/// How long to wait for git to finish a checkout before going on all the same.
pub(super) const GIT_WAIT: Duration = Duration::from_secs(2);

/// Waits until no checkout of git runs, and says so where one still does.
pub(super) fn wait_for_git(workspace: &Workspace, notices: &mut Vec<Diagnostic>) {
    if workspace.paths.shared().is_some() {
        // No checkout reaches that ledger.
        return;
    }
    if wait_for_index(&workspace.root.path, GIT_WAIT) == IndexLock::StillHeld {
        notices.push(Diagnostic::new(
            Code::GitBusy,
            "git has held this work tree's index.lock for two seconds; went on without it",
            "if no git command is running, remove the index.lock that it left",
        ));
    }
}

/// Refuses to append to a ledger in which git left conflict markers.
pub(super) fn refuse_unfinished_merge(
    paths: &Paths,
    before: &Snapshot,
) -> Result<(), TransactionError> {
    let Some(line) = before.unfinished_merge()? else {
        return Ok(());
    };
    let ledger = paths.relative(&paths.events()).to_string();
    Err(Rejection::UnfinishedMerge { ledger, line }.into())
}
