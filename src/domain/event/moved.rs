//! The event by which a ledger says that it goes on in another place.

use crate::domain::wire::body::plain;

plain! {
    /// The ledger goes on elsewhere: the last line of a file that is left behind.
    LedgerMoved {
        /// `repository`: in git's common directory, for all work trees. `tree`: in a work tree.
        to: String,
    }
}
