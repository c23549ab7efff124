//! Where a transaction has its turn: in the file, or in the store that the ledger belongs to.

use crate::domain::command::{Command, StoreAct};
use crate::snapshot::Snapshot;

/// Where the lines of a ledger are kept during a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept<'a> {
    /// Where the ledger says. If the store says that the ledger was taken out of it, nowhere.
    AsItSays,
    /// Where the ledger says, to take it out of there, or to follow who did.
    Leaving,
    /// In the file, whatever the ledger says.
    InFile,
    /// In the store, under this name.
    InStore(&'a str),
}

impl Kept<'_> {
    pub(super) fn by(command: &Command) -> Kept<'_> {
        match command {
            Command::Store(StoreAct::Join { ledger }) => Kept::InStore(ledger),
            Command::Store(StoreAct::Leave { alone: true }) => Kept::InFile,
            Command::Store(StoreAct::Leave { alone: false }) => Kept::Leaving,
            _ => Kept::AsItSays,
        }
    }

    /// The name under which the store has the ledger.
    pub(super) fn ledger(self, before: &Snapshot) -> Option<String> {
        match self {
            Kept::AsItSays | Kept::Leaving => before.state.store.clone(),
            Kept::InFile => None,
            Kept::InStore(ledger) => Some(ledger.to_owned()),
        }
    }
}
