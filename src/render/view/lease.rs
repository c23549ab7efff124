//! A lease as interfaces show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::id::GoalId;
use crate::domain::lease::{LeaseFound, LeaseStatus};
use crate::domain::time::rfc3339;

/// A lease, or what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseView {
    pub goal_id: GoalId,
    /// Computed when it is shown. Only `held` means anything to others.
    pub standing: LeaseStatus,
    /// Null in the short locks of other programs, and in what cannot be read.
    pub session: Option<String>,
    pub pid: Option<i32>,
    /// Null where the program that wrote it does not say; then it is taken for this machine.
    pub host: Option<String>,
    pub acquired_at: Option<String>,
    pub heartbeat_at: Option<String>,
    /// When it lapses unless it is renewed.
    pub expires_at: Option<String>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl LeaseView {
    /// The view of what was found in the place of the goal's lease.
    pub fn of(goal_id: &GoalId, found: &LeaseFound) -> LeaseView {
        let (lease, standing, problem) = match found {
            LeaseFound::Unreadable(why) => (None, LeaseStatus::Unreadable, Some(why.clone())),
            LeaseFound::Lease(lease, standing) => (Some(lease), *standing, None),
        };
        LeaseView {
            goal_id: goal_id.clone(),
            standing,
            session: lease.and_then(|it| it.holder.session.clone()),
            pid: lease.map(|it| it.holder.pid),
            host: lease.and_then(|it| it.holder.host.clone()),
            acquired_at: lease.and_then(|it| it.acquired_at).map(rfc3339),
            heartbeat_at: lease.and_then(|it| it.heartbeat_at).map(rfc3339),
            expires_at: lease.map(|it| rfc3339(it.expires_at)),
            problem,
        }
    }

    /// The view of something that is no lease.
    pub fn unreadable(goal_id: &GoalId, why: &str) -> LeaseView {
        LeaseView::of(goal_id, &LeaseFound::Unreadable(why.to_owned()))
    }
}
