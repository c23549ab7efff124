//! Audits of requests that wait for somebody who can sign.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::consent::WholeLedger;
use super::handover::Handover;
use super::signed::{awaits, signer, waiting};
use super::{Completed, Made, audit, line_now, outcome, standing_now, take_lock, wait};
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::view::AuditStanding;
use crate::roles::command::CommandOptions;
use crate::workspace::config::Role;
use crate::workspace::gate::Gate;

/// The outcome of `complete --pending`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// In the order of the goals' creation.
    pub goals: Vec<PendingAudit>,
}

/// What became of one request that waited.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingAudit {
    pub goal_id: GoalId,
    /// Null where it could not be audited.
    pub completed: Option<Completed>,
    /// Why it could not.
    pub refused: Option<String>,
}

impl Pending {
    /// The call is a success where every goal that waited is complete now.
    pub fn failure(&self) -> Option<Failure> {
        let count = |is: fn(&Completed) -> bool| {
            let completed = self.goals.iter().filter_map(|it| it.completed.as_ref());
            completed.filter(|it| is(it)).count()
        };
        let all = self.goals.len();
        match (count(|it| it.pending), all - count(Completed::is_approved)) {
            (_, 0) => None,
            (0, open) => Some(Failure::new(
                "completion_not_approved",
                format!("{open} of {all} goals that waited are not complete"),
                "`goal audits` has the reports; ask again once the objections are addressed",
            )),
            (pending, _) => Some(Failure::new(
                "audit_pending",
                format!("{pending} of {all} audits are still running"),
                "run `goal complete --pending` again to wait for their verdicts; ending this \
                     call does not end the audits",
            )),
        }
    }
}

/// Audits what waits: the goal that the call names, or every goal.
///
/// # Errors
/// Anybody but the user asks; this machine cannot sign; the named goal does not wait.
pub fn pending(
    call: &Call,
    wanted: &CommandOptions,
    patience: Option<Duration>,
) -> Result<Pending, Failure> {
    let say = "run `goal complete --pending` yourself to audit what waits";
    call.refuse_all_but_the_user("complete --pending", say)?;
    let interrupted = wait::interrupted(call)?;
    let snapshot = call.read_whole()?;
    let named = call.named(&snapshot)?;
    let among = match named {
        Some(goal) => vec![goal],
        None => snapshot.state.open(),
    };
    let required = Gate::of(&call.workspace).required;
    let mut asked = Vec::new();
    for goal in among {
        let waits = match standing_now(call, &snapshot, goal)? {
            Some(AuditStanding::Waiting) => true,
            // Another call has begun with it.
            Some(AuditStanding::Running) => required,
            _ => false,
        };
        if let (Some(request), true) = (&goal.gate.requested, waits) {
            let made = (request.line, snapshot.id(request.line)?);
            asked.push((goal.id.clone(), made));
        }
    }
    if let (Some(goal), true) = (named, asked.is_empty()) {
        return Err(Failure::usage(
            format!("no request of goal {} waits for a signature", goal.id),
            "`goal complete` asks for completion",
        ));
    }
    let mut goals = Vec::new();
    if asked.is_empty() {
        return Ok(Pending { goals });
    }
    let signer = match signer(call) {
        Some(Ok(signer)) => Some(signer),
        Some(Err(why)) => return Err(awaits(format!("you cannot sign a verdict here: {why}"))),
        None => None,
    };
    if call.choose(Role::Auditor, wanted)?.is_none() {
        return Err(Rejection::NoAuditor.into());
    }
    for (id, request) in asked {
        let by = (wanted, signer.clone());
        let told = one(call, (&id, request), by, patience, &interrupted);
        let (completed, refused) = match told {
            Ok(completed) => (Some(completed), None),
            Err(failure) => (None, Some(format!("{}; {}", failure.message, failure.hint))),
        };
        goals.push(PendingAudit {
            goal_id: id,
            completed,
            refused,
        });
        if interrupted() {
            break;
        }
    }
    Ok(Pending { goals })
}

/// Audits the request of one goal. Where another call began that meanwhile, it waits for the same
/// verdict.
fn one(
    call: &Call,
    (id, asked): (&GoalId, Made),
    (wanted, signer): (&CommandOptions, Option<String>),
    patience: Option<Duration>,
    cancel: &dyn Fn() -> bool,
) -> Result<Completed, Failure> {
    let Some(lock) = take_lock(call, id)? else {
        let lock = call.workspace.paths.audit_lock(id);
        let ended = wait::for_lock(&lock, patience, cancel)?;
        let now = call.read_whole()?;
        return outcome::of(call, &now, id, line_now(&now, id, asked)?, !ended);
    };
    let ledger = WholeLedger::read(call)?;
    let goal = select::by_id(&ledger.snapshot.state, id)?;
    let Some(request) = waiting(call, &ledger.snapshot, goal)? else {
        let now = &ledger.snapshot;
        return outcome::of(call, now, id, line_now(now, id, asked)?, false);
    };
    ledger.prove(call, id)?;
    let orders = Handover::of(call, id, request.revision, wanted, signer);
    let made = (request.line, ledger.snapshot.id(request.line)?);
    audit(call, &orders, made, lock, patience, cancel)
}
