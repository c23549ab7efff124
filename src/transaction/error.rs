//! Why a transaction did not take place, and which of these reasons another attempt may be rid of.

use std::io::ErrorKind;

use camino::Utf8PathBuf;

use crate::domain::rejection::Rejection;
use crate::ledger::append::AppendError;
use crate::ledger::lock::LockError;
use crate::ledger::open::OpenError;
use crate::snapshot::SnapshotError;
use crate::store::StoreError;
use crate::transaction::place;
use crate::workspace::config::ConfigError;
use crate::workspace::paths::PathError;
use crate::writing::WritingError;

/// Why a transaction did not take place. Nothing is recorded unless the message says so.
#[derive(Debug, thiserror::Error)]
pub enum TransactionError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Place(#[from] place::PlaceError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Read(#[from] SnapshotError),
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It is not recorded, and waits.
    #[error(
        "`{what}` waits in {file} and is NOT on record yet: this process may not write the ledger, which is in \
         git's directory"
    )]
    Waits {
        what: &'static str,
        file: Utf8PathBuf,
    },
    #[error("the event IS recorded, but its receipt could not be made: {0}")]
    Unreceipted(String),
    #[error("cannot read a line of the ledger again: {0}; run the command again")]
    Line(#[from] std::io::Error),
}

impl From<StoreError> for TransactionError {
    fn from(error: StoreError) -> TransactionError {
        match error {
            StoreError::File(error) => error.into(),
            StoreError::Open(error) => error.into(),
            other => TransactionError::Store(other),
        }
    }
}

impl From<WritingError> for TransactionError {
    fn from(error: WritingError) -> TransactionError {
        match error {
            WritingError::Rejected(error) => error.into(),
            WritingError::Line(error) => error.into(),
        }
    }
}

/// Whether the ledger or its directory was changed or removed during an attempt that therefore
/// recorded nothing that counts: another attempt may find them, or make them, again.
pub fn pulled_away(error: &TransactionError) -> bool {
    let cause = match error {
        TransactionError::Append(AppendError::Moved { .. })
        | TransactionError::Store(StoreError::Moved { .. }) => return true,
        // A line that was there when the ledger was scanned; lines are fetched before the append.
        TransactionError::Line(cause) => return cause.kind() == ErrorKind::UnexpectedEof,
        TransactionError::Append(AppendError::NotRecorded {
            step: "create",
            source,
            ..
        }) => source,
        TransactionError::Lock(LockError::Open(OpenError::Io { source, .. })) => source,
        TransactionError::Path(PathError::Io { cause, .. }) => cause,
        _ => return false,
    };
    cause.kind() == ErrorKind::NotFound
}
