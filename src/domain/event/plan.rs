//! Events of planning.

use crate::domain::wire::body::plain;

plain! {
    /// A plan was asked for, with a reason if there was one already.
    PlanRequested { ; task_id: String, reason: String, }
    /// No plan came of it.
    PlanFailed { reason: String, ; task_id: String, }
}
