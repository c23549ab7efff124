//! Audits of ours that have neither a result nor a process (DESIGN §5, "who waits").

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
    let requested = goal
        .gate
        .requested
        .as_ref()
        .is_some_and(|request| request.ours);
    let running = goal
        .gate
        .running
        .as_ref()
        .is_some_and(|running| running.ours);
    requested || running
}

/// Whether the audit lock is free. Only a lock file that is there is tried, since trying makes
/// it, and diagnosis writes nothing; without one nobody can hold it.
fn nobody_audits(goal: &Goal, paths: &Paths) -> bool {
    let path = paths.audit_lock(&goal.id);
    path.symlink_metadata().is_err() || matches!(FileLock::try_acquire(&path), Ok(Some(_)))
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
