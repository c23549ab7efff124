//! A step that decomposes a task, or a goal without tasks, since nothing can be done before that.

use serde_json::{Value, json};

use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::spec::TaskSpec;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::plan::{self, PlanOptions, Planned, What};
use crate::ops::step::{Did, StepPlanned, StepSession, Stepped, WaitsFor, of};
use crate::ops::transacted::Outcome;
use crate::snapshot::Snapshot;

/// Decomposes the task, or the goal itself, where a procedure is named or a planner is there for it.
pub(super) fn take(
    session: &mut StepSession<'_>,
    goal: &Goal,
    task: Option<&TaskSpec>,
) -> Result<Stepped, Failure> {
    let asked = PlanOptions {
        what: task.map(|task| What::Task(task.id.clone())),
        procedure: session.asked.procedure.clone(),
        by_step: Some((session.id.clone(), planning(&session.arguments))),
        ..PlanOptions::default()
    };
    let (planned, now) = match plan::planned(session.call, &asked) {
        Err(failure) if failure.code == "no_planner" => {
            let procedure = plan::may_apply(session.call, goal)?;
            let waits_for = match (&procedure, task) {
                (Some(_), _) => WaitsFor::Procedure,
                (None, Some(_)) => WaitsFor::Plan,
                (None, None) => WaitsFor::Tasks,
            };
            return Ok(Stepped {
                procedure,
                ..session.nothing(task, waits_for, None)?
            });
        }
        planned => planned?,
    };
    expanded(&now, &session.id, planned)
}

fn expanded(now: &Snapshot, id: &GoalId, planned: Outcome<Planned>) -> Result<Stepped, Failure> {
    let Outcome { data, events, .. } = planned;
    let did = match data.failed {
        None => Did::Planned,
        Some(_) => Did::Blocked,
    };
    let stepped = of(now, id, data.task_id.as_deref(), did, Vec::new())?;
    let tasks = data.tasks.iter();
    Ok(Stepped {
        events,
        waits_for: (did == Did::Blocked).then_some(WaitsFor::Lift),
        planned: data.source.map(|source| StepPlanned {
            source,
            tasks: tasks.map(|task| task.title.clone()).collect(),
        }),
        reason: data.failed,
        failure: planned.failure,
        repeated: planned.repeated,
        stop_turn: planned.stop_turn,
        notices: planned.notices,
        ..stepped
    })
}

/// What a plan that a step asks for is recorded under, where the step has a request key.
fn planning(arguments: &Value) -> Value {
    json!({ "step": arguments })
}

/// The outcome of the same request, if it planned before.
pub(super) fn repeated(call: &Call, arguments: &Value) -> Result<Option<Stepped>, Failure> {
    let recorded = call.answer_again(TaskCommand::PLAN, &planning(arguments))?;
    let Some((receipt, now)) = recorded else {
        return Ok(None);
    };
    let id = receipt.goal_id.clone();
    let stepped = id.map(|id| expanded(&now, &id, plan::of(receipt)));
    stepped.transpose()
}
