//! Deciding whether the ledger belongs to a store.

use crate::domain::command::StoreAct;
use crate::domain::decide::PendingEvent;
use crate::domain::event::{StoreJoined, StoreLeft};
use crate::domain::state::State;

/// What the act changes; nothing where the ledger says so already.
pub fn decide(state: &State, act: &StoreAct) -> Vec<PendingEvent> {
    let events = match (act, &state.store) {
        (StoreAct::Join { ledger }, Some(joined)) if joined == ledger => None,
        (StoreAct::Join { ledger }, _) => Some(PendingEvent::about_no_goal(StoreJoined {
            ledger: ledger.clone(),
        })),
        (StoreAct::Leave { .. }, None) => None,
        (StoreAct::Leave { .. }, Some(ledger)) => Some(PendingEvent::about_no_goal(StoreLeft {
            ledger: ledger.clone(),
        })),
    };
    events.into_iter().collect()
}
