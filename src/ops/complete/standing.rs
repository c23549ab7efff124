//! How a completion stands that was asked for and has no result: the one place that says so.

use super::signed;
use crate::domain::goal::state::Goal;
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::view::AuditStanding;
use crate::snapshot::Snapshot;

/// How it stands; nothing where nobody asks. `free` says whether nobody on this machine holds the
/// goal's audit lock. What other programs ask stands only where none of ours does.
pub fn standing(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    free: bool,
) -> Result<Option<AuditStanding>, Failure> {
    let (requested, running) = (goal.gate.requested.as_ref(), goal.gate.running.as_ref());
    if !goal.status.is_open() || (requested.is_none() && running.is_none()) {
        return Ok(None);
    }
    let ours = running.filter(|running| running.ours);
    if ours.is_none() && !requested.is_some_and(|request| request.ours) {
        return Ok(Some(AuditStanding::Foreign));
    }
    if !free {
        return Ok(Some(AuditStanding::Running));
    }
    let host = host(call);
    let now = call.workspace.environment.now_millis();
    let elsewhere = ours.is_some_and(|running| !running.is_over_for(host.as_deref(), now));
    if elsewhere {
        return Ok(Some(AuditStanding::Elsewhere));
    }
    Ok(Some(match signed::left(call, snapshot, goal)? {
        Some((_, true)) => AuditStanding::Waiting,
        Some((_, false)) => AuditStanding::Lapsed,
        None => AuditStanding::Interrupted,
    }))
}

/// How it stands now, by who holds the goal's audit lock.
pub fn standing_now(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
) -> Result<Option<AuditStanding>, Failure> {
    let free = FileLock::is_free(&call.workspace.paths.audit_lock(&goal.id))?;
    standing(call, snapshot, goal, free)
}

/// This machine's name in an audit that it starts, where it has a key.
pub fn host(call: &Call) -> Option<String> {
    call.workspace.own_key().map(|key| key.id().to_string())
}
