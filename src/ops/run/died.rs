//! Runs whose runner died when their goal was no longer worked on: nobody goes on with such a goal, so
//! nobody else would record that its run stopped. Of another machine's runner nobody says so here.

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::goal::state::Status;
use crate::domain::rejection::Rejection;
use crate::domain::run::RunCommand;
use crate::domain::run::liveness::Liveness;
use crate::domain::run::state::Cause;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::workers::Workers;
use crate::transaction::TransactionError;

/// Records of each that it stopped, and says whether there was one. A runner that died has left its lease
/// behind, so only those goals are looked at.
///
/// # Errors
/// The project cannot be read or written.
pub(super) fn record_stops(call: &Call) -> Result<bool, Failure> {
    let workers = Workers::of_all(call);
    let mut left = workers.left().peekable();
    if left.peek().is_none() {
        return Ok(false);
    }
    let mut is_recorded = false;
    let now = call.read()?;
    let goals = left.filter_map(|id| now.state.goals.get(id));
    for goal in goals.filter(|goal| goal.status != Status::Active) {
        let Some(run) = &goal.runs.open else {
            continue;
        };
        if workers.of_run(goal) != Some(Liveness::Dead) {
            continue;
        }
        let stop = Command::Run(RunCommand::Stop {
            run_id: run.id.clone(),
            cause: Cause::Crashed,
            detail: None,
            uncommitted: None,
            last: None,
        });
        match call.request(stop).on(&goal.id).by(Actor::System).run() {
            // Another process has recorded it meanwhile.
            Ok(_) | Err(TransactionError::Rejected(Rejection::NothingChanges { .. })) => {
                is_recorded = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(is_recorded)
}
