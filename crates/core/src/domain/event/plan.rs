//! Events of planning.

use std::borrow::Cow;

use crate::domain::goal::state::Goal;
use crate::domain::line::Origin;
use crate::domain::wire::body::plain;

plain! {
    /// A plan was asked for, with a reason if there was one already.
    PlanRequested { ; task_id: String, reason: String, }
    /// No plan came of it.
    PlanFailed { reason: String, ; task_id: String, }
}

impl PlanRequested {
    pub(super) fn text(&self) -> Cow<'_, str> {
        self.task_id.as_deref().unwrap_or_default().into()
    }
}

impl PlanFailed {
    pub(super) fn apply(&self, goal: &mut Goal, _: &Origin<'_>) {
        goal.tasks.failed_plans = goal.tasks.failed_plans.saturating_add(1);
    }
}
