//! Where a transaction has its turn: in the file, or in the store that the ledger belongs to.

use crate::domain::command::{Command, StoreAct};
use crate::snapshot::Snapshot;

/// Where the lines of a ledger are kept during a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinesHome<'a> {
    /// Where the ledger says: in its file or in its store. If that store says that the ledger was taken out
    /// of it, nowhere.
    AsItSays,
    /// Where the ledger says, to take it out of there, or to follow who did.
    Leaving,
    /// In the file, whatever the ledger says.
    InFile,
    /// In the store, under this name.
    InStore(&'a str),
}

impl LinesHome<'_> {
    pub(super) fn by(command: &Command) -> LinesHome<'_> {
        match command {
            Command::Store(StoreAct::Join { ledger }) => LinesHome::InStore(ledger),
            Command::Store(StoreAct::Leave { alone: true }) => LinesHome::InFile,
            Command::Store(StoreAct::Leave { alone: false }) => LinesHome::Leaving,
            _ => LinesHome::AsItSays,
        }
    }

    /// The name under which the store has the ledger.
    pub(super) fn ledger(self, before: &Snapshot) -> Option<String> {
        match self {
            LinesHome::AsItSays | LinesHome::Leaving => before.state.store.clone(),
            LinesHome::InFile => None,
            LinesHome::InStore(ledger) => Some(ledger.to_owned()),
        }
    }
}
