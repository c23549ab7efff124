//! Runs whose runner died when their goal was no longer worked on: nobody goes on with such a goal, so
//! nobody else would record that its run stopped.

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::goal::state::Status;
use crate::domain::rejection::Rejection;
use crate::domain::run::RunCommand;
use crate::domain::run::state::Cause;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::lease::held;
use crate::transaction::TransactionError;
use crate::workspace::leases;

/// Records of each that it stopped. A runner that died has left its lease behind, so only those goals are
/// looked at.
///
/// # Errors
/// The project cannot be read or written.
pub(super) fn record_stops(call: &Call) -> Result<(), Failure> {
    let mut left = leases::goals(&call.workspace.paths)?;
    let held = held(call);
    left.retain(|id| !held.contains_key(id));
    if left.is_empty() {
        return Ok(());
    }
    let now = call.read()?;
    let goals = left.iter().filter_map(|id| now.state.goals.get(id));
    for goal in goals.filter(|goal| goal.status != Status::Active) {
        let Some(run) = &goal.runs.open else {
            continue;
        };
        let stop = Command::Run(RunCommand::Stop {
            run_id: run.id.clone(),
            cause: Cause::Crashed,
            detail: None,
            uncommitted: None,
        });
        match call.request(stop).on(&goal.id).by(Actor::System).run() {
            // Another process has recorded it meanwhile.
            Ok(_) | Err(TransactionError::Rejected(Rejection::NothingChanges { .. })) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
