//! How much was tried on a goal, as its progress knows it: what stands beside its cost.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::progress::state::Progress;

/// How much was tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Effort {
    /// Evaluations of progress.
    pub evaluations: u64,
    /// Iterations: each is one tick.
    pub ticks: u64,
    /// The extra escalation was granted.
    pub runway_used: bool,
    /// Escalations after which the next evaluation scored higher than before them.
    pub productive_escalations: u64,
    /// Escalations after which it did not.
    pub unproductive_escalations: u64,
}

impl From<&Progress> for Effort {
    fn from(progress: &Progress) -> Effort {
        Effort {
            evaluations: progress.evaluations,
            ticks: progress.ticks,
            runway_used: progress.runway,
            productive_escalations: progress.escalations.productive,
            unproductive_escalations: progress.escalations.unproductive,
        }
    }
}
