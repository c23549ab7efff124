//! Lines come into the ledger from other clones (docs/machines.md). They are appended byte for byte.

use std::time::Duration;

use super::documents::catch_up;
use super::kept::LinesHome::AsItSays;
use super::{TransactionError, in_turn, until_it_stays};
use crate::domain::exchange::{self, Piece, Which};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

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
        in_turn(workspace, paths, wait, AsItSays, |turn, before| {
            let missing = before.missing(exchange::ids(pieces))?;
            let is_known = |it: &Piece| !missing.contains(&it.id());
            let related = how.related || before.extent.len == 0;
            if !related && !pieces.iter().any(is_known) {
                return Ok(TakenOver::Unrelated);
            }
            let which = Which {
                gaps: how.gaps,
                ..Which::CONNECTED
            };
            let taken = exchange::taken(pieces.to_vec(), &missing, which);
            if !how.dry_run && !taken.lines.is_empty() {
                turn.append(&taken.lines, &before.extent)?;
                drop(before);
                let _said_by_the_next = catch_up(workspace, &Snapshot::read(paths)?)?;
            }
            Ok(TakenOver::Lines {
                taken: taken.lines.len() as u64,
                left: taken.unconnected,
            })
        })
    })
}
