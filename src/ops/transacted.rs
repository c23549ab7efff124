//! The outcome that every transaction has: what was recorded, and how the goal stands.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::ops::failure::Failure;
use crate::transaction::Receipt;

/// What every outcome of a transaction has beside its data.
pub trait Record: Serialize {
    /// An agent must end its turn now.
    fn stops_turn(&self) -> bool;
    /// The data is whole, and yet the call is no success.
    fn failure(&self) -> Option<Failure> {
        None
    }
    /// What else there is to know; nothing in it undoes the record.
    fn into_notices(self) -> Vec<Diagnostic>;
}

impl Record for Transacted {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// A receipt as JSON data.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Transacted {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The draft that the events are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    /// The goal has ended; the open one that it was begun from. Focus is on it where the user ended
    /// the goal that they worked on, else on nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns_to: Option<GoalId>,
    /// The same request was answered before: these are its events, nothing was appended now.
    pub repeated: bool,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

impl From<Receipt> for Transacted {
    fn from(receipt: Receipt) -> Transacted {
        Transacted {
            draft_id: receipt.draft_id(),
            goal_id: receipt.goal_id,
            revision: receipt.revision,
            status: receipt.status,
            events: receipt.ids,
            returns_to: receipt.returns_to,
            repeated: receipt.repeated,
            notices: receipt.notices,
            stop_turn: receipt.stop_turn,
        }
    }
}
