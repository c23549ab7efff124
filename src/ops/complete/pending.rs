//! Audits of requests that wait for somebody who can sign.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::signed::{awaits, signer, waiting};
use super::{Audit, Completed, audit, consent, take_lock, wait};
use crate::domain::actor::Actor;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::roles::command::{Wanted, choose};
use crate::workspace::config::Role;

/// The outcome of `complete --pending`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    /// In the order of the goals' creation.
    pub goals: Vec<PendingAudit>,
}

/// What `complete` answers: about the goal that is meant, or with `--pending` about those that waited.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answered {
    One(Box<Completed>),
    Waiting(Pending),
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
        let approved =
            |it: &&PendingAudit| it.completed.as_ref().is_some_and(Completed::is_approved);
        let done = self.goals.iter().filter(approved).count();
        let all = self.goals.len();
        (done < all).then(|| {
            Failure::new(
                "completion_not_approved",
                Exit::NotApproved,
                format!("{} of {all} goals that waited stay open", all - done),
                "`goal audits` has the reports; ask again once the objections are addressed",
            )
        })
    }
}

/// Audits what waits: the goal that the call names, or every goal.
///
/// # Errors
/// Anybody but the user asks; this machine cannot sign; the named goal does not wait.
pub fn pending(
    call: &Call,
    wanted: &Wanted,
    patience: Option<Duration>,
) -> Result<Pending, Failure> {
    match call.caller.actor {
        Actor::User => {}
        Actor::Auditor => return Err(Rejection::AuditorReadOnly.into()),
        Actor::Agent | Actor::System => {
            let say = "run `goal complete --pending` yourself to audit what waits".into();
            return Err(Rejection::HumanOwned {
                act: "--pending",
                say,
            }
            .into());
        }
    }
    let interrupted = wait::interrupted(call)?;
    let snapshot = call.read_whole()?;
    let named = call.goal.as_deref();
    let named = named
        .map(|named| select::by_text(&snapshot.state, named))
        .transpose()?;
    let among = match named {
        Some(goal) => vec![goal],
        None => snapshot.state.open(),
    };
    let mut ids = Vec::new();
    for goal in among {
        if goal.status.is_open() && waiting(call, &snapshot, goal)?.is_some() {
            ids.push(goal.id.clone());
        }
    }
    if let (Some(goal), true) = (named, ids.is_empty()) {
        return Err(Failure::usage(
            format!("no request of goal {} waits for a signature", goal.id),
            "`goal complete` asks for completion",
        ));
    }
    let mut goals = Vec::new();
    if ids.is_empty() {
        return Ok(Pending { goals });
    }
    let signer = match signer(call) {
        Some(Ok(signer)) => Some(signer),
        Some(Err(why)) => return Err(awaits(format!("you cannot sign a verdict here: {why}"))),
        None => None,
    };
    if choose(&call.workspace, call.caller.actor, Role::Auditor, wanted)?.is_none() {
        return Err(Rejection::NoAuditor.into());
    }
    for id in ids {
        let told = one(call, &id, (wanted, signer.clone()), patience, &interrupted);
        let (completed, refused) = match told {
            Ok(completed) => (completed, None),
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

/// Audits the request of one goal; nothing where it no longer waits.
fn one(
    call: &Call,
    id: &GoalId,
    (wanted, signer): (&Wanted, Option<String>),
    patience: Option<Duration>,
    cancel: &dyn Fn() -> bool,
) -> Result<Option<Completed>, Failure> {
    let Some(lock) = take_lock(call, id)? else {
        return Err(Rejection::AuditRunning { id: id.clone() }.into());
    };
    let snapshot = call.read_whole()?;
    let goal = select::by_id(&snapshot.state, id)?;
    let Some(request) = waiting(call, &snapshot, goal)? else {
        return Ok(None);
    };
    consent::prove(call, id)?;
    let begun = Audit {
        id,
        request: request.line,
        revision: request.revision,
        wanted,
        signer,
        lock,
    };
    audit(call, begun, patience, cancel).map(Some)
}
