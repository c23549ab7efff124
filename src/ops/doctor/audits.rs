//! Audits of ours that have neither a result nor a process
//! (docs/design/gate.md#why-a-process-of-its-own).

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::Goal;
use crate::ledger::lock::FileLock;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;

/// One finding for each open goal whose audit was interrupted.
pub fn look(snapshot: &Snapshot, paths: &Paths) -> Vec<Diagnostic> {
    let open = snapshot.state.open().into_iter();
    open.filter(|goal| awaits_result(goal) && nobody_audits(goal, paths))
        .map(interrupted)
        .collect()
}

/// Audits of other programs are left alone.
fn awaits_result(goal: &Goal) -> bool {
    let gate = &goal.gate;
    let requested = gate.requested.as_ref().is_some_and(|request| request.ours);
    let running = gate.running.as_ref().is_some_and(|running| running.ours);
    requested || running
}

/// A lock that cannot be tried proves nothing.
fn nobody_audits(goal: &Goal, paths: &Paths) -> bool {
    FileLock::is_free(&paths.audit_lock(&goal.id)).unwrap_or(false)
}

fn interrupted(goal: &Goal) -> Diagnostic {
    Diagnostic::new(
        Code::AuditInterrupted,
        format!("the audit of goal {} ended without a result", goal.id),
        format!(
            "ask again with `goal complete --goal {}`; it records the interruption",
            goal.id
        ),
    )
}
