//! The event by which a ledger says that it goes on in another place.

use crate::domain::wire::body::plain;

/// Whether a line says that its ledger goes on in a home that work trees share.
pub fn says_that_it_moved(line: &[u8]) -> bool {
    line.starts_with(br#"{"type":"ledger_moved","to":"repository","#)
}

plain! {
    /// The ledger goes on elsewhere: the last line of a file that is left behind.
    LedgerMoved {
        /// `repository`: in git's common directory, for all work trees. `tree`: in a work tree.
        to: String,
    }
}
