//! Planning: a procedure that applies, else the planner, decomposes a goal or one of its tasks.
//!
//! A planner runs outside the ledger's lock, so what it answers is decided on anew, and is stale
//! when the goal changed meanwhile. No plan is a fact too: `plan_failed` blocks the task, or after
//! too many the goal, and abandons nothing.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::command::Command;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::contract::Difficulty;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::procedure::Procedure;
use crate::domain::procedure::adapt::adapt;
use crate::domain::procedure::rank::{applicable, rank};
use crate::domain::progress::command::ProgressCommand;
use crate::domain::progress::score::Score;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::events::{Decomposition, TaskSpec};
use crate::domain::task::limits::Limits;
use crate::domain::task::plan::{Plan, Wanted};
use crate::ops::asking::ready;
use crate::ops::call::Call;
use crate::ops::failure::{Exit, Failure};
use crate::ops::interrupt;
use crate::ops::procedure::shelf;
use crate::ops::tasks::limits;
use crate::ops::transacted::Record;
use crate::render::planner::{gloss, input};
use crate::roles::command::{self, Chosen, choose};
use crate::roles::planner::{self, NoPlan};
use crate::transaction::{self, Receipt, TransactionError};
use crate::workspace::config::Role;

/// What a call asks for.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// A task of the goal, or a goal; the goal itself without it.
    pub what: Option<String>,
    /// Why what is not complete is planned anew.
    pub revise: Option<String>,
    pub checkpoints: bool,
    /// Why it is escalated, which goes on record before the planner is asked.
    pub escalate: Option<String>,
    pub planner: command::Wanted,
}

/// The outcome of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    pub goal_id: Option<GoalId>,
    pub revision: Option<EventId>,
    pub status: Option<Status>,
    /// Ids of the events that were appended, in order.
    pub events: Vec<EventId>,
    /// The task that was planned; nothing for the goal itself.
    pub task_id: Option<String>,
    /// `planner`, or `procedure:ID`; nothing when no plan came.
    pub source: Option<String>,
    pub decomp: Option<Decomposition>,
    /// The tasks that it has now at its top, those that were kept included.
    pub tasks: Vec<TaskSpec>,
    /// That it was escalated, where that was asked for; not when the request is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// Why no plan came, as it is on record.
    pub failed: Option<String>,
    /// The same request was answered before: nobody was asked now.
    pub repeated: bool,
    /// What else there is to know; nothing in it undoes the record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
    /// An agent must end its turn now. Stands in the envelope, not in the data.
    #[serde(skip)]
    pub stop_turn: bool,
}

/// What an escalation recorded before the planner was asked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Escalation {
    pub reason: String,
    /// The latest score before it, 0 where there was none.
    pub score_before: Score,
    /// The difficulty that it turned out to have, since its escalations were spent.
    pub upgraded_to: Option<Difficulty>,
    /// One more escalation was granted, since they were spent.
    pub runway_granted: bool,
}

impl Record for Planned {
    fn stops_turn(&self) -> bool {
        self.stop_turn
    }

    fn failure(&self) -> Option<Failure> {
        let reason = self.failed.as_deref()?;
        let what = match &self.task_id {
            Some(task) => format!("task {task} is blocked"),
            None if self.status == Some(Status::Blocked) => "the goal is blocked".into(),
            None => "the goal is as it was".into(),
        };
        Some(Failure::new(
            "plan_failed",
            Exit::Io,
            format!("no plan: {reason}; that is recorded, and {what}"),
            "try the planner by hand (`goal schema planner-input`, `planner-answer`), or write the \
             tasks with `goal task set`; then plan again",
        ))
    }

    fn into_notices(self) -> Vec<Diagnostic> {
        self.notices
    }
}

/// Plans the goal or the task.
///
/// # Errors
/// Refusals before anybody is asked; no procedure that applies and no planner that may run; a goal
/// that changed while the planner thought. A plan that failed is an outcome.
pub fn plan(call: &Call, asked: &Asked) -> Result<Planned, Failure> {
    call.refuse_auditor()?;
    let limits = limits(call)?;
    let snapshot = call.read()?;
    let (goal, wanted) = target(call, &snapshot.state, asked)?;
    let id = goal.id.clone();
    let planner = &asked.planner.command;
    let arguments = match &asked.escalate {
        None => json!({
            "goal": id, "task": wanted.task, "revise": wanted.revise,
            "checkpoints": wanted.checkpoints, "planner": planner,
        }),
        // Whether there is a plan to revise is not the caller's word, and changes with the answer.
        Some(reason) => json!({ "goal": id, "escalate": reason, "planner": planner }),
    };
    if !call.answered(TaskCommand::PLAN, &arguments)?.is_empty() {
        let nothing = failing(limits, &wanted, "asked before");
        return finish(call, &id, None, nothing, &arguments);
    }
    let first = || match &asked.escalate {
        None => step(limits, TaskCommand::RequestPlan(wanted.clone())),
        Some(reason) => escalate(reason, &wanted),
    };
    call.check_on(&id, first())?;
    let shelf = shelf(call)?;
    let procedures = shelf.known();
    if let Some(plan) = by_procedure(goal, &wanted, &procedures) {
        let planned = TaskCommand::Plan { wanted, plan };
        return finish(call, &id, call.expect, step(limits, planned), &arguments);
    }
    let choosing = choose(
        &call.workspace,
        call.caller.actor,
        Role::Planner,
        &asked.planner,
    )?;
    let chosen = ready(choosing, || unconfigured(&wanted))?;
    let begun = match asked.escalate.is_some() {
        // What was escalated and then interrupted is not escalated twice by asking again.
        true => record(call, &id, call.expect, first(), &arguments)?,
        false => call.transact_step(&id, first())?,
    };
    let escalation = escalated(&begun);
    let (revision, answer) = ask(call, &id, &wanted, limits, &chosen, &procedures)?;
    let finish = |command| finish(call, &id, None, command, &arguments);
    let planned = match answer {
        Err(NoPlan::Cancelled) => return Err(cancelled()),
        Err(none) => finish(failing(limits, &wanted, &none.to_string())),
        Ok(plan) => {
            let act = TaskCommand::Plan {
                wanted: wanted.clone(),
                plan,
            };
            let planned = step(limits, act);
            match record(call, &id, revision, planned, &arguments) {
                Ok(receipt) => Ok(of(receipt)),
                Err(TransactionError::Rejected(rejection)) if unfit(&rejection) => {
                    let reason = format!("the planner's answer is refused: {rejection}");
                    finish(failing(limits, &wanted, &reason))
                }
                Err(error) => Err(Failure::from(error)),
            }
        }
    };
    let planned = planned.map_err(|failure| half_recorded(failure, escalation.is_some()))?;
    Ok(Planned {
        escalation,
        ..planned
    })
}

/// What failed is only the second half: what the ledger says of it alone would be taken for the
/// whole.
fn half_recorded(failure: Failure, escalated: bool) -> Failure {
    let alone = "nothing is recorded and the ledger is as it was before";
    let first = match escalated {
        true => "that it was escalated and a plan asked for is recorded, and no more",
        false => "that a plan was asked for is recorded, and no more",
    };
    Failure {
        message: failure.message.replace(alone, first),
        ..failure
    }
}

/// The goal, and what of it is to be planned: what was named is a task of the target, else a goal.
fn target<'a>(
    call: &Call,
    state: &'a State,
    asked: &Asked,
) -> Result<(&'a Goal, Wanted), Rejection> {
    let wanted = |task: Option<&str>| Wanted {
        task: task.map(str::to_owned),
        revise: asked.revise.clone(),
        checkpoints: asked.checkpoints,
        escalated: asked.escalate.is_some(),
    };
    let here = select::target(state, call.goal.as_deref(), &call.caller);
    let Some(what) = asked.what.as_deref() else {
        return Ok((here?, wanted(None)));
    };
    match (here, &call.goal) {
        (Ok(goal), _) if goal.tasks.find(what).is_some() => Ok((goal, wanted(Some(what)))),
        (Ok(goal), Some(_)) => Err(Rejection::UnknownTask {
            id: goal.id.clone(),
            task: what.to_owned(),
        }),
        (Err(error), Some(_)) => Err(error),
        (_, None) => Ok((
            select::target(state, Some(what), &call.caller)?,
            wanted(None),
        )),
    }
}

/// Whether it is the planner's alone: a procedure knows no reason, and no success criteria.
fn needs_planner(wanted: &Wanted) -> bool {
    wanted.revise.is_some() || wanted.checkpoints || wanted.escalated
}

/// The plan that a procedure makes, if one applies.
fn by_procedure(goal: &Goal, wanted: &Wanted, procedures: &[Procedure]) -> Option<Plan> {
    if needs_planner(wanted) {
        return None;
    }
    let task = wanted.task.as_deref();
    let ranked = rank(gloss(goal, task), procedures);
    let procedure = applicable(&ranked)?;
    let path = task.map(|id| goal.tasks.path(id)).unwrap_or_default();
    let seen = goal.tasks.evidence.seen_by(&path);
    let known: BTreeSet<&str> = seen.values().keys().copied().collect();
    Some(adapt(procedure, &known))
}

/// Asks the planner about the goal as it is now, and says which revision that was.
fn ask(
    call: &Call,
    id: &GoalId,
    wanted: &Wanted,
    limits: Limits,
    chosen: &Chosen,
    procedures: &[Procedure],
) -> Result<(Option<EventId>, Result<Plan, NoPlan>), Failure> {
    let snapshot = call.read()?;
    let goal = select::target(&snapshot.state, Some(id.as_str()), &call.caller)?;
    let revision = snapshot.revision(goal)?;
    let ranked = rank(gloss(goal, wanted.task.as_deref()), procedures);
    let input = input(goal, wanted, &ranked, &limits);
    let cancel = interrupt::asked()?;
    let root = &call.workspace.root.path;
    Ok((revision, planner::plan(chosen, root, &input, &cancel)))
}

/// Whether it is the plan that is refused, and not the moment or the caller.
fn unfit(rejection: &Rejection) -> bool {
    matches!(
        rejection,
        Rejection::InvalidTask { .. }
            | Rejection::InvalidField { .. }
            | Rejection::EmptyField { .. }
            | Rejection::OverLimit { .. }
            | Rejection::Secret { .. }
            | Rejection::TooLarge(_)
    )
}

fn step(limits: Limits, act: TaskCommand) -> Command {
    Command::Task {
        act: Box::new(act),
        limits,
    }
}

fn escalate(reason: &str, wanted: &Wanted) -> Command {
    Command::Progress {
        act: Box::new(ProgressCommand::Escalate {
            reason: reason.to_owned(),
            wanted: wanted.clone(),
        }),
    }
}

/// What the first step recorded, if it was an escalation.
fn escalated(receipt: &Receipt) -> Option<Escalation> {
    let payloads = || receipt.events.iter().map(|event| &event.payload);
    let mut escalation = payloads().find_map(|payload| match payload {
        Payload::GoalEscalated(it) => Some(Escalation {
            reason: it.reason.clone(),
            score_before: it.score_before,
            upgraded_to: None,
            runway_granted: false,
        }),
        _ => None,
    })?;
    for payload in payloads() {
        match payload {
            Payload::DifficultyUpgraded(it) => escalation.upgraded_to = Some(it.to),
            Payload::RunwayGranted(_) => escalation.runway_granted = true,
            _ => {}
        }
    }
    Some(escalation)
}

fn failing(limits: Limits, wanted: &Wanted, reason: &str) -> Command {
    step(
        limits,
        TaskCommand::FailPlan {
            task: wanted.task.clone(),
            reason: reason.to_owned(),
        },
    )
}

fn record(
    call: &Call,
    id: &GoalId,
    expect: Option<EventId>,
    command: Command,
    arguments: &Value,
) -> Result<Receipt, TransactionError> {
    let request = call.request_on(id, expect, command, arguments.clone());
    transaction::run(&call.workspace, &request)
}

fn finish(
    call: &Call,
    id: &GoalId,
    expect: Option<EventId>,
    command: Command,
    arguments: &Value,
) -> Result<Planned, Failure> {
    Ok(of(record(call, id, expect, command, arguments)?))
}

/// The outcome as it stands in the ledger.
fn of(receipt: Receipt) -> Planned {
    let mut planned = Planned {
        goal_id: receipt.goal_id,
        revision: receipt.revision,
        status: receipt.status,
        events: receipt.ids,
        task_id: None,
        source: None,
        decomp: None,
        tasks: Vec::new(),
        escalation: None,
        failed: None,
        repeated: receipt.repeated,
        notices: receipt.notices,
        stop_turn: receipt.stop_turn,
    };
    receipt
        .events
        .iter()
        .for_each(|event| tell(&mut planned, event));
    planned
}

fn tell(planned: &mut Planned, event: &Event) {
    match &event.payload {
        Payload::TaskListSet(set) => {
            planned.source.clone_from(&set.source);
            planned.decomp = set.decomp;
            planned.tasks = set.tasks.clone().unwrap_or_default();
        }
        Payload::TaskExpanded(expanded) => {
            planned.task_id = Some(expanded.task_id.clone());
            planned.source = Some(expanded.source.clone());
            planned.decomp = Some(expanded.decomp);
            planned.tasks.clone_from(&expanded.tasks);
        }
        Payload::PlanFailed(failed) => {
            planned.task_id.clone_from(&failed.task_id);
            planned.failed = Some(failed.reason.clone());
        }
        _ => {}
    }
}

fn unconfigured(wanted: &Wanted) -> Failure {
    Failure::new(
        "no_planner",
        Exit::Policy,
        match needs_planner(wanted) {
            true => "revisions, checkpoints and escalations need a planner, and none is configured",
            false => "no procedure applies, and no planner is configured",
        },
        "the user sets `[planner]` in the configuration or passes `--planner`; or write a \
         procedure (`goal procedure list TEXT` shows what fits), or the tasks themselves",
    )
}

fn cancelled() -> Failure {
    Failure::new(
        "interrupted",
        Exit::Interrupted,
        "planning was cancelled; only that a plan was asked for is recorded",
        "plan again with `goal plan`",
    )
}
