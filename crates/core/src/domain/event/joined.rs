//! The event that joins heads: nothing else happened.

use crate::domain::wire::body::plain;

plain! {
    /// The line before those of a write whose writer had seen more heads than one line names: it names
    /// as many of them as it can.
    LedgerJoined {
        /// How many other heads the writer had seen.
        heads: u64,
    }
}
