//! How often the goal was read in the present turn, which an adapter counts for its model. Nothing
//! depends on it but a word of advice.

use std::sync::{Mutex, PoisonError};

use rmcp::model::JsonObject;

use super::identity::Identity;

/// The latest turn and how often the goal was read in it.
#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<(String, u32)>);

impl Readings {
    /// Counts one reading and passes the number on, where the host says which turn it is and the
    /// model does not count for itself.
    pub(super) fn count(&self, identity: &Identity, arguments: &mut Option<JsonObject>) {
        let Some(turn) = identity.turn() else { return };
        // After a panic the count is still good enough: only advice uses it.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.0 != turn {
            *latest = (turn.to_owned(), 0);
        }
        latest.1 = latest.1.saturating_add(1);
        let arguments = arguments.get_or_insert_default();
        arguments.entry("calls").or_insert_with(|| latest.1.into());
    }
}
