//! What a failure of a store means to whoever called (docs/stores.md#errors).

use super::{Failure, chain};
use crate::store::StoreError;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let said = chain(&error);
        match error {
            StoreError::NoHelper { .. } => Failure::new(
                "store_unreachable",
                said,
                "name the helper as `command` below [store] in your own configuration; \
                 docs/stores.md says how",
            ),
            StoreError::Unreachable { .. } => Failure::new(
                "store_unreachable",
                said,
                "run it again once the store can be reached; reading works meanwhile",
            ),
            StoreError::Unknown { .. } => Failure::new(
                "store_unknown",
                said,
                "run the same command with the same `--key` again, which records it once; without a \
                 key run `goal store pull` first, and then look with `goal log`",
            ),
            StoreError::InPart { .. } => Failure::new(
                "store_unknown",
                said,
                "run it again: it sends what the store still lacks",
            ),
            StoreError::Busy { .. } => Failure::new(
                "lock_timeout",
                said,
                "run it again, or allow more time with `--lock-timeout`",
            ),
            StoreError::Diverged { .. } => Failure::new(
                "store_diverged",
                said,
                "`goal store push` sends lines that only the file has; else keep a copy of the file, \
                 move it away, and `goal store pull NAME` takes it from the store",
            ),
            StoreError::Left { ledger, .. } => Failure::new(
                "store_left",
                said,
                format!(
                    "the user decides: `goal store leave` goes on in the file of this machine alone, \
                     `goal store init {ledger}` puts the ledger into the store again, for every \
                     machine"
                ),
            ),
            StoreError::Moved { .. } => Failure::new("ledger_moved", said, "run the command again"),
            StoreError::Refused { .. } => Failure::new(
                "store_refused",
                said,
                "`goal store status` says how the ledger stands with its store",
            ),
            StoreError::Fenced { .. } => Failure::new(
                "lease_lost",
                said,
                "stop working the goal: whoever has its lease now goes on with it",
            ),
            StoreError::Held { .. } => Failure::new(
                "lease_held",
                said,
                "work another goal, or wait until it is released, or its machine does not renew it",
            ),
            StoreError::InProject { .. } => Failure::new(
                "store_refused",
                said,
                "name a program outside the project below [store] in your own configuration",
            ),
            StoreError::Failed { .. } => Failure::new(
                "store_failed",
                said,
                "`goal store pull`, then look at what is recorded with `goal log`",
            ),
            StoreError::File(error) => error.into(),
            StoreError::Open(error) => error.into(),
            StoreError::Read(error) => Failure::io(&error, "check the ledger's permissions"),
            StoreError::OnlyInStore(_) => Failure::new(
                "receipt_lost",
                said,
                "do not run it again; `goal store pull`, then look with `goal log`",
            ),
        }
    }
}
