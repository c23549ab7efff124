//! Audits of ours that have neither a result nor a process
//! (docs/design/gate.md#why-a-process-of-its-own).

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::complete::standing;
use crate::ops::failure::Failure;
use crate::render::view::AuditStanding;
use crate::snapshot::Snapshot;

/// One finding for each open goal whose audit was interrupted.
///
/// # Errors
/// The ledger cannot be read.
pub fn look(call: &Call, snapshot: &Snapshot) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = Vec::new();
    for goal in snapshot.state.goals.in_turn(|it| it.status.is_open()) {
        // A lock that cannot be tried proves nothing.
        let lock = call.workspace.paths.audit_lock(&goal.id);
        let free = FileLock::is_free(&lock).unwrap_or(false);
        if standing(call, snapshot, &goal, free)? == Some(AuditStanding::Interrupted) {
            let id = &goal.id;
            found.push(Diagnostic::new(
                Code::AuditInterrupted,
                format!("the audit of goal {id} ended without a result"),
                format!("ask again with `goal complete --goal {id}`; it records the interruption"),
            ));
        }
    }
    Ok(found)
}
