//! A merge that git has not finished: nothing is appended to its ledger
//! (docs/ledger-format.md#after-a-git-merge).

use super::TransactionError;
use crate::domain::diagnostic::Code;
use crate::domain::rejection::Rejection;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;

/// Refuses to append to a ledger in which git left conflict markers: the new line would stand on one
/// side. Markers that the user has settled stay where they are, since a line links to them.
pub fn refuse_unfinished_merge(paths: &Paths, before: &Snapshot) -> Result<(), TransactionError> {
    let markers = before.diagnostics.iter();
    for marker in markers.filter(|it| it.code == Code::ConflictMarker) {
        if !before.is_settled(marker, &before.state.settled)? {
            return Err(Rejection::UnfinishedMerge {
                ledger: paths.relative(&paths.events()).to_string(),
                line: marker.line.unwrap_or_default(),
            }
            .into());
        }
    }
    Ok(())
}
