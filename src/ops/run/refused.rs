//! What a run that was refused leaves behind. Of several that are started in the evening one works in the tree and
//! the others are refused, and nobody sees what they said: inbox and report say it in the morning.

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::event::RunRefused;
use crate::domain::goal::state::{Goal, Keeper, Status};
use crate::domain::run::RunCommand;
use crate::domain::time::millis;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::render::text::{one_line, short};

/// Most characters of why a run was refused that are recorded.
const WHY: usize = 1000;

/// Refusals for what somebody else does in the tree, or left there.
const OF_TREE: [&str; 2] = ["tree_busy", "tree_unfit"];

/// Records of the call's goal that its run was refused, which was asked for at `asked_at`, in milliseconds since
/// 1970.
pub(super) fn record(call: &Call, asked_at: i64, refused: &Failure) {
    if !leaves_a_trace(call, refused) {
        return;
    }
    let Ok(now) = call.read() else { return };
    if let Ok(goal) = call.target(&now) {
        record_of(call, goal, asked_at, refused, &refused.message);
    }
}

/// Records that a run of all goals was refused, of the goal that it would have begun with.
pub(super) fn record_of_all(call: &Call, asked_at: i64, refused: &Failure) {
    if !leaves_a_trace(call, refused) {
        return;
    }
    let Ok(now) = call.read() else { return };
    let mut open: Vec<&Goal> = now.state.open();
    // One with a run is worked.
    open.retain(|goal| {
        let is_ours = goal.keeper == Keeper::Ours;
        is_ours && goal.status == Status::Active && goal.runs.open.is_none()
    });
    let first =
        open.into_iter().reduce(
            |first, goal| match goal.contract.rank() > first.contract.rank() {
                true => goal,
                false => first,
            },
        );
    if let Some(goal) = first {
        let message = format!("`goal run --all`: {}", refused.message);
        record_of(call, goal, asked_at, refused, &message);
    }
}

/// Whether the user had asked for the run, and something was lacking for it.
fn leaves_a_trace(call: &Call, refused: &Failure) -> bool {
    let is_lacking = refused.exit == Exit::Policy || OF_TREE.contains(&refused.code);
    call.caller.actor == Actor::User && is_lacking
}

fn record_of(call: &Call, goal: &Goal, asked_at: i64, refused: &Failure, message: &str) {
    let runs = &goal.runs;
    let latest = runs
        .open
        .as_ref()
        .or(runs.closed.as_ref().map(|(run, _)| run));
    // It had begun: its end is on record.
    let began_at = latest.and_then(|run| millis(&run.started_at));
    let has_begun = began_at.is_some_and(|began_at| began_at >= asked_at);
    if goal.status != Status::Active || has_begun {
        return;
    }
    let reason = one_line(&format!("{message}; {}", refused.hint));
    let refusal = RunRefused {
        code: refused.code.to_owned(),
        reason: short(&reason, WHY),
    };
    let command = Command::Run(RunCommand::Refuse(refusal));
    // The caller is told of the refusal itself.
    let _best_effort = call.request(command).on(&goal.id).by(Actor::System).run();
}
