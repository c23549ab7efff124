//! How much a goal may cost: the user's limits, and what was spent under each.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::Command;
use crate::domain::cost::budget::{Limit, Limits};
use crate::domain::cost::command::CostCommand;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::goal::state::Status;
use crate::domain::id::{EventId, GoalId};
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Record;
use crate::render::view::LimitView;

/// The budget of a goal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budgeted {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order; none when nothing was asked but to see.
    pub events: Vec<EventId>,
    /// The same request was answered before: these are its events, nothing was appended now.
    pub repeated: bool,
    /// Every limit that is set; none means that nothing stops the goal for cost.
    pub limits: Vec<LimitView>,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

impl Record for Budgeted {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// The budget as it is.
///
/// # Errors
/// No goal matches, or nothing is named and nothing focused.
pub fn show(call: &Call) -> Result<Budgeted, Failure> {
    let snapshot = call.read()?;
    let goal = select::target(&snapshot.state, call.goal.as_deref(), &call.caller)?;
    Ok(Budgeted {
        goal_id: Some(goal.id.clone()),
        revision: snapshot.revision(goal)?,
        status: Some(goal.status),
        events: Vec::new(),
        repeated: false,
        limits: LimitView::of(goal),
        notices: Vec::new(),
        stop_turn: false,
    })
}

/// Sets these limits and takes those away; others stay. A goal that has spent more already is
/// paused in the same write.
///
/// # Errors
/// The goal is closed, nothing would change, or the caller is an agent.
pub fn set(call: &Call, set: Limits, clear: BTreeSet<Limit>) -> Result<Budgeted, Failure> {
    let arguments = json!({ "set": set.written(), "clear": clear, "goal": call.goal });
    let command = Command::Cost {
        act: Box::new(CostCommand::Budget { set, clear }),
    };
    let (receipt, now) = call.transact_and_read(command, arguments)?;
    let id = receipt.goal_id.as_ref();
    let goal = id.and_then(|id| now.state.goals.get(id));
    Ok(Budgeted {
        limits: goal.map(LimitView::of).unwrap_or_default(),
        goal_id: receipt.goal_id,
        revision: receipt.revision,
        status: receipt.status,
        events: receipt.ids,
        repeated: receipt.repeated,
        notices: receipt.notices,
        stop_turn: receipt.stop_turn,
    })
}
