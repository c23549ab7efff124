//! Events of help with a goal: it is handed on, or reviewed.

use crate::domain::id::{EventId, GoalId};
use crate::domain::wire::body::plain;

plain! {
    /// A goal was handed on as a child goal.
    GoalDelegated { child_goal_id: GoalId, to: String, }
    /// What a reviewer said. Never completes or stops anything.
    ReviewResult {
        role: String,
        report: String,
        ;
        verdict: String,
        /// The goal's revision that was reviewed; a foreign result names none.
        revision: EventId,
    }
}
