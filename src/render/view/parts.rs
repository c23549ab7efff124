//! The parts of a goal's view that the goal itself does not hold so: audits, recent events.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::actor::Actor;
use crate::domain::event::Event;
use crate::domain::goal::state::{Gate, Goal};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::verdict::{Cause, Verdict};
use crate::render::event::summary;

/// What the latest audit came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditView {
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub report: String,
    pub at: String,
    /// The revision that was audited; another tool's result names none.
    pub revision: Option<EventId>,
}

/// A request to complete, and how its audit stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingView {
    pub standing: AuditStanding,
    pub summary: Option<String>,
    pub evidence: Vec<String>,
    /// Null until an auditor was started: checks run before it.
    pub started_at: Option<String>,
}

/// How an audit without a result stands. Computed when it is shown, not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditStanding {
    /// A process of ours is at it.
    Running,
    /// Another machine began it, and its time is not over.
    Elsewhere,
    /// Nobody began it: the verdict has to be signed, and somebody who can sign it is waited for.
    Waiting,
    /// Nobody began it, and it waits no longer: the next `complete` asks anew.
    Lapsed,
    /// Its process is gone; the next `complete` of the goal records that and asks anew.
    Interrupted,
    /// Another tool's, which only that tool can judge.
    Foreign,
}

/// An event in a few words; `goal log --json` has all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecentEvent {
    pub line: u64,
    pub id: EventId,
    #[serde(rename = "type")]
    pub name: String,
    pub at: String,
    pub by: Option<Actor>,
    /// The mark of an agent's host in the line, whoever acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    pub summary: String,
}

impl RecentEvent {
    /// The event that stands at `line`, whose id is `id`.
    pub fn of(line: LineRef, id: EventId, event: Event) -> RecentEvent {
        RecentEvent {
            line: line.number,
            id,
            name: event.payload.name().to_owned(),
            summary: summary(&event.payload),
            by: event.envelope.by,
            via: event.envelope.via,
            at: event.at,
        }
    }
}

pub(super) fn audit(goal: &Goal) -> Option<AuditView> {
    goal.gate.result.as_ref().map(|result| AuditView {
        verdict: result.verdict,
        cause: result.cause.clone(),
        report: result.report.clone(),
        at: result.at.clone(),
        revision: result.revision,
    })
}

pub(super) fn pending(gate: &Gate, standing: Option<AuditStanding>) -> Option<PendingView> {
    let standing = standing?;
    let request = gate.requested.as_ref();
    Some(PendingView {
        standing,
        summary: request.and_then(|request| request.summary.clone()),
        evidence: request
            .map(|request| request.evidence.clone())
            .unwrap_or_default(),
        started_at: gate.running.as_ref().map(|running| running.at.clone()),
    })
}
