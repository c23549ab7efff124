//! Escalating: calls for a new plan, records that, and asks the planner for it with what is known
//! of the gap.

use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::{Asked, Planned, plan};
use crate::ops::transacted::Outcome;
use crate::roles::command::Wanted;

/// Escalates the goal, for this reason.
///
/// # Errors
/// As [`plan`], before anything is recorded where there is no planner; escalations that are spent,
/// where the caller is not the user.
pub fn escalate(call: &Call, reason: &str, planner: Wanted) -> Result<Outcome<Planned>, Failure> {
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let has_plan = !goal.tasks.specs.is_empty() || goal.tasks.count > 0;
    let asked = Asked {
        revise: has_plan.then(|| reason.to_owned()),
        escalate: Some(reason.to_owned()),
        planner,
        ..Asked::default()
    };
    plan(call, &asked)
}
