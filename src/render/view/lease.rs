//! A lease as interfaces show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::id::GoalId;
use crate::domain::lease::{Found, LeaseStatus};
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
    pub fn of(goal_id: &GoalId, found: &Found) -> LeaseView {
        match found {
            Found::Unreadable(why) => LeaseView::unreadable(goal_id, why),
            Found::Lease(lease, standing) => LeaseView {
                goal_id: goal_id.clone(),
                standing: *standing,
                session: lease.holder.session.clone(),
                pid: Some(lease.holder.pid),
                host: lease.holder.host.clone(),
                acquired_at: lease.acquired_at.map(rfc3339),
                heartbeat_at: lease.heartbeat_at.map(rfc3339),
                expires_at: Some(rfc3339(lease.expires_at)),
                problem: None,
            },
        }
    }

    /// The view of something that is no lease.
    pub fn unreadable(goal_id: &GoalId, why: &str) -> LeaseView {
        LeaseView {
            goal_id: goal_id.clone(),
            standing: LeaseStatus::Unreadable,
            session: None,
            pid: None,
            host: None,
            acquired_at: None,
            heartbeat_at: None,
            expires_at: None,
            problem: Some(why.to_owned()),
        }
    }
}
