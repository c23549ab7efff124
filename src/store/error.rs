//! Why a store did not do what was asked of it.

use std::time::Duration;

use crate::domain::id::{EventId, GoalId};
use crate::ledger::append::AppendError;
use crate::ledger::open::OpenError;

/// Why a store did not do what was asked. Nothing is recorded unless the message says so.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "no helper is configured that reaches the store's ledger `{ledger}`: nothing was changed"
    )]
    NoHelper { ledger: String },
    #[error("the helper `{program}` lies in the project, which must not choose it")]
    InProject { program: String },
    #[error("the store cannot be reached: {why}; nothing was changed")]
    Unreachable { why: String },
    #[error(
        "others had the turn of the store's ledger `{ledger}` for more than {} ms: nothing was \
         changed",
        waited.as_millis()
    )]
    Busy { ledger: String, waited: Duration },
    #[error("the file and the store's ledger `{ledger}` differ: {how}; nothing was changed")]
    Diverged { ledger: String, how: String },
    /// Somebody took it out of the store, and this machine has not followed.
    #[error(
        "the ledger was taken out of the store, where it was {ledger}, by {by} at {at} (line \
         {line}): nothing was changed"
    )]
    Left {
        ledger: String,
        by: String,
        at: String,
        line: EventId,
    },
    /// The turn was lost before anything was appended.
    #[error("the store's ledger `{ledger}` did not take the event: {why}; nothing is recorded")]
    Moved { ledger: String, why: String },
    #[error("it is not known whether the store has recorded the event: {why}")]
    Unknown { why: String },
    /// Of a file that is sent in parts.
    #[error("the store has the file in part: {why}")]
    InPart { why: String },
    /// The store says no, and means it.
    #[error("the store refuses: {why}; nothing was changed")]
    Refused { why: String },
    /// The lease under which was appended is over.
    #[error("the store refuses: {why}; nothing is recorded")]
    Fenced { why: String },
    #[error(
        "goal {goal} is leased to {holder} in the store; if it is not renewed, it is free in {} s",
        left.as_secs()
    )]
    Held {
        goal: GoalId,
        holder: String,
        left: Duration,
    },
    #[error("the store failed: {why}; nothing is acknowledged")]
    Failed { why: String },
    #[error(transparent)]
    File(#[from] AppendError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot read the ledger: {0}")]
    Read(std::io::Error),
    #[error(
        "the event IS recorded in the store, but not in the file here, which `goal store pull` \
         brings up to date: {}",
        .0.cause()
    )]
    OnlyInStore(AppendError),
}

impl StoreError {
    /// Why, without what it means for what was asked.
    pub fn cause(self) -> String {
        match self {
            StoreError::Unreachable { why }
            | StoreError::Unknown { why }
            | StoreError::InPart { why }
            | StoreError::Refused { why }
            | StoreError::Fenced { why }
            | StoreError::Failed { why }
            | StoreError::Moved { why, .. } => why,
            StoreError::Busy { .. } => "others had the turn for all of the time".to_owned(),
            other => other.to_string(),
        }
    }
}
