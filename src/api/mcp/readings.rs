//! How often the goal was read in the present turn, which an adapter counts for its model. Nothing
//! depends on it but a word of advice.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::JsonObject;

use super::identity::Identity;

/// How long after the latest reading another one counts to the same turn, where the host does not say
/// which turn it is.
const SAME_TURN: Duration = Duration::from_secs(5 * 60);

/// The latest turn and how often the goal was read in it.
#[derive(Debug, Default)]
pub(super) struct Readings(Mutex<Latest>);

#[derive(Debug, Default)]
struct Latest {
    /// The host's word for the turn; empty where it has none.
    turn: String,
    /// When the goal was read last.
    at: Option<Instant>,
    count: u32,
}

impl Readings {
    fn latest(&self) -> MutexGuard<'_, Latest> {
        // After a panic the count is still good enough: only advice uses it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one reading and passes the number on, where the model does not count for itself. Without
    /// the host's word, readings with no other call between them are of one turn.
    pub(super) fn count(&self, identity: &Identity, arguments: &mut Option<JsonObject>) {
        let turn = identity.turn().unwrap_or_default();
        let mut latest = self.latest();
        let is_quiet = latest.at.is_none_or(|at| at.elapsed() > SAME_TURN);
        if latest.turn != turn || (turn.is_empty() && is_quiet) {
            turn.clone_into(&mut latest.turn);
            latest.count = 0;
        }
        latest.at = Some(Instant::now());
        latest.count = latest.count.saturating_add(1);
        let arguments = arguments.get_or_insert_default();
        arguments
            .entry("calls")
            .or_insert_with(|| latest.count.into());
    }

    /// Another tool was called: what is read after it, is read for a step that was taken.
    pub(super) fn went_on(&self) {
        let mut latest = self.latest();
        if latest.turn.is_empty() {
            latest.count = 0;
        }
    }
}
