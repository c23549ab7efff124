//! The outcome of a transaction: what was recorded, how the goal stands, and what else the act has
//! to tell.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::transaction::{Receipt, Recorded};

/// What every outcome of a transaction has beside its data.
pub trait Record: Serialize {
    /// An agent must end its turn now.
    fn stops_turn(&self) -> bool {
        false
    }
    /// The data is whole, and yet the call is no success.
    fn failure(&self) -> Option<Failure> {
        None
    }
    /// Remarks: none undoes the record.
    fn notices(&self) -> &[Diagnostic];
}

/// How the text begins of an outcome that was recorded before.
pub fn again(repeated: bool) -> &'static str {
    match repeated {
        true => "Already recorded: ",
        false => "",
    }
}

/// A receipt as JSON data, with the fields of the act in it. Its schema has the name and the
/// description of the act's own type.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}", description = "")]
pub struct Outcome<T> {
    /// Null where it is about no goal, as while a new one is only proposed.
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    #[serde(flatten)]
    pub data: T,
    /// The same request was answered before, and nothing was done now.
    pub repeated: bool,
    /// Remarks: none undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
    /// The data is whole, and yet the call is no success.
    #[serde(skip)]
    pub failure: Option<Failure>,
}

impl<T> Outcome<T> {
    /// What a transaction recorded.
    pub fn of(receipt: Receipt, data: T) -> Outcome<T> {
        Outcome {
            goal_id: receipt.goal_id,
            revision: receipt.revision,
            status: receipt.status,
            events: receipt.ids,
            repeated: receipt.repeated,
            notices: receipt.notices,
            stop_turn: receipt.stop_turn,
            ..Outcome::unrecorded(data)
        }
    }

    /// Nothing was recorded, and it is about no goal.
    pub fn unrecorded(data: T) -> Outcome<T> {
        Outcome {
            goal_id: None,
            revision: None,
            status: None,
            events: Vec::new(),
            data,
            repeated: false,
            notices: Vec::new(),
            stop_turn: false,
            failure: None,
        }
    }

    /// The same outcome with other data, and the data that it had.
    pub fn exchange<U>(self, data: U) -> (Outcome<U>, T) {
        let exchanged = Outcome {
            goal_id: self.goal_id,
            revision: self.revision,
            status: self.status,
            events: self.events,
            data,
            repeated: self.repeated,
            notices: self.notices,
            stop_turn: self.stop_turn,
            failure: self.failure,
        };
        (exchanged, self.data)
    }

    /// Nothing was recorded: this goal was looked at.
    ///
    /// # Errors
    /// The goal's revision cannot be read again.
    pub fn seen(snapshot: &Snapshot, goal: &Goal, data: T) -> io::Result<Outcome<T>> {
        Ok(Outcome {
            goal_id: Some(goal.id.clone()),
            revision: snapshot.revision(goal)?,
            status: Some(goal.status),
            ..Outcome::unrecorded(data)
        })
    }
}

impl<T: for<'a> From<&'a Receipt>> From<Recorded> for Outcome<T> {
    fn from((receipt, _): Recorded) -> Outcome<T> {
        let data = T::from(&receipt);
        Outcome::of(receipt, data)
    }
}

impl<T: Serialize> Record for Outcome<T> {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn failure(&self) -> Option<Failure> {
        self.failure.clone()
    }

    fn notices(&self) -> &[Diagnostic] {
        &self.notices
    }
}

/// The outcome of an act that is one command and shows nothing.
pub type Transacted = Outcome<Besides>;

/// A receipt as JSON data.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Transacted")]
pub struct Besides {
    /// The draft that the events are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    /// The open goal that it was begun from, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns_to: Option<GoalId>,
}

impl From<&Receipt> for Besides {
    fn from(receipt: &Receipt) -> Besides {
        Besides {
            draft_id: receipt.draft_id(),
            returns_to: receipt.returns_to.clone(),
        }
    }
}
