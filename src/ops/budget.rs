//! How much a goal may cost: the user's limits, and what was spent under each.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::cost::CostCommand;
use crate::domain::cost::budget::{Limit, Limits};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::view::LimitView;

/// The budget of a goal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budgeted {
    /// Every limit that is set; none means that nothing stops the goal for cost.
    pub limits: Vec<LimitView>,
}

/// The budget as it is.
///
/// # Errors
/// No goal matches, or nothing is named and nothing focused.
pub fn show(call: &Call) -> Result<Outcome<Budgeted>, Failure> {
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let limits = LimitView::of(goal);
    Ok(Outcome::seen(&snapshot, goal, Budgeted { limits })?)
}

/// Sets these limits and takes those away; others stay. A goal that has spent more already is
/// paused in the same write.
///
/// # Errors
/// The goal is closed, nothing would change, or the caller is an agent.
pub fn set(call: &Call, set: Limits, clear: BTreeSet<Limit>) -> Result<Outcome<Budgeted>, Failure> {
    let arguments = json!({ "set": set.written(), "clear": clear, "goal": call.goal });
    let request = call.request(CostCommand::Budget { set, clear });
    let (receipt, now) = request.key(arguments).run()?;
    let goal = receipt.goal(&now);
    let limits = goal.map(LimitView::of).unwrap_or_default();
    Ok(Outcome::of(receipt, Budgeted { limits }))
}
