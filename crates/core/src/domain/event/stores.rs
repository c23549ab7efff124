//! Events by which a ledger comes to belong to a store, and belongs to it no longer.

use crate::domain::wire::body::plain;

plain! {
    /// From this line on the ledger belongs to a store: its lines are appended there first.
    StoreJoined {
        /// The ledger's name in the store.
        ledger: String,
    }

    /// From this line on the ledger is the file again.
    StoreLeft {
        /// The name that the ledger had in the store.
        ledger: String,
    }
}
