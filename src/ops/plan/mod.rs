//! Planning: the planner, or a procedure that somebody names, decomposes a goal or one of its tasks.
//!
//! A procedure is found by words that it has in common with what is planned, which is no judgement:
//! the planner is shown it and judges, and without a planner it is only suggested.
//!
//! A planner runs outside the ledger's lock, so what it answers is decided on anew, and is stale
//! when the goal changed meanwhile. No plan is a fact too: `plan_failed` blocks the task, or after
//! too many the goal, and abandons nothing.

mod outcome;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::command::Command;
use crate::domain::decide::{is_id, meant};
use crate::domain::event::{PlanFailed, UsageRecorded};
use crate::domain::goal::state::Goal;
use crate::domain::id::{EventId, GoalId};
use crate::domain::procedure::rank::{Ranked, applicable, rank};
use crate::domain::procedure::{Procedure, adapt};
use crate::domain::progress::ProgressCommand;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::domain::task::answer::{Answer, read};
use crate::domain::task::command::TaskCommand;
use crate::domain::task::condition::EvidenceKey;
use crate::domain::task::order::{Step, next};
use crate::domain::task::plan::{Plan, PlanRequest};
use crate::domain::task::spec::Limits;
use crate::domain::task::statuses::TaskStatuses;
use crate::ledger::lock::FileLock;
use crate::ops::asking::{charge, ready, timed};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::procedure::library;
use crate::ops::tasks::{act_on_tasks, limits};
use crate::ops::transacted::Outcome;
use crate::ops::two_steps::FirstStep;
use crate::render::planner::{gloss, input, offered};
use crate::render::text::{inline, one_line};
use crate::roles::command::{self, NoAnswer, unreadable};
use crate::snapshot::Snapshot;
use crate::transaction::{Recorded, TransactionError};
use crate::workspace::config::{CommandInForce, Role};

pub use outcome::Planned;
use outcome::escalated;
pub(super) use outcome::of;

/// What is to be planned, as it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A task of the goal, by its id.
    Task(String),
    /// A task of the goal, else a goal.
    Named(String),
}

/// What a call asks for.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The goal itself without it.
    pub what: Option<What>,
    /// Why what is not complete is planned anew.
    pub revise: Option<String>,
    pub checkpoints: bool,
    /// The procedure that the plan is made from, by its id: somebody judged that it applies.
    pub procedure: Option<String>,
    /// Why it is escalated, which goes on record before the planner is asked.
    pub escalate: Option<String>,
    pub planner: command::CommandOptions,
    /// A step asks: about this goal, whatever is focused by now, with the arguments that make its
    /// request this one.
    pub by_step: Option<(GoalId, Value)>,
}

/// Plans the goal or the task.
///
/// # Errors
/// Refusals before anybody is asked; no procedure that is named and no planner that may run; a goal
/// that changed while the planner thought. A plan that failed is an outcome.
pub fn plan(call: &Call, asked: &PlanOptions) -> Result<Outcome<Planned>, Failure> {
    Ok(planned(call, asked)?.0)
}

/// Calls for a new plan of the goal, for this reason: records that, and asks the planner for it with
/// what is known of the gap.
///
/// # Errors
/// As [`plan`], before anything is recorded where there is no planner; escalations that are spent,
/// where the caller is not the user.
pub fn escalate(
    call: &Call,
    reason: &str,
    planner: command::CommandOptions,
) -> Result<Outcome<Planned>, Failure> {
    let snapshot = call.read()?;
    let goal = call.target(&snapshot)?;
    let asked = PlanOptions {
        revise: goal.tasks.are_defined().then(|| reason.to_owned()),
        escalate: Some(reason.to_owned()),
        planner,
        ..PlanOptions::default()
    };
    plan(call, &asked)
}

/// As [`plan`], with the project as it is then.
pub(in crate::ops) fn planned(
    call: &Call,
    asked: &PlanOptions,
) -> Result<(Outcome<Planned>, Snapshot), Failure> {
    call.refuse_auditor()?;
    let limits = limits(call)?;
    let snapshot = call.read()?;
    let (goal, wanted) = target(call, &snapshot.state, asked)?;
    let id = goal.id.clone();
    let planner = &asked.planner.command;
    let mut arguments = match (&asked.escalate, &asked.by_step) {
        (None, Some((_, arguments))) => arguments.clone(),
        (None, None) => json!({
            "goal": id, "task": wanted.task, "revise": wanted.revise,
            "checkpoints": wanted.checkpoints, "planner": planner,
        }),
        // Whether there is a plan to revise is not the caller's word, and changes with the answer.
        (Some(reason), _) => json!({ "goal": id, "escalate": reason, "planner": planner }),
    };
    if let Some(name) = &asked.procedure {
        arguments["procedure"] = name.as_str().into();
    }
    if let Some((receipt, now)) = call.answer_again(TaskCommand::PLAN, &arguments)? {
        return Ok((of(receipt), now));
    }
    let first = || match &asked.escalate {
        None => act_on_tasks(TaskCommand::RequestPlan(wanted.clone()), limits),
        Some(reason) => Command::from(ProgressCommand::Escalate {
            reason: reason.to_owned(),
            wanted: wanted.clone(),
        }),
    };
    call.request(first()).naming(&id).check()?;
    let library = library(call)?;
    if let Some(name) = &asked.procedure {
        if needs_planner(&wanted) {
            return Err(Failure::usage(
                "a procedure makes a first plan: a revision, checkpoints and an escalation are the \
                 planner's",
                "leave out one of the two",
            ));
        }
        let plan = made_from(&library.named(name)?.procedure, goal, &wanted);
        let planned = act_on_tasks(TaskCommand::Plan { wanted, plan }, limits);
        let (receipt, now) = record(call, &id, call.expect, planned, &arguments)?;
        return Ok((of(receipt), now));
    }
    let procedures = library.known();
    let chosen = ready(call.choose(Role::Planner, &asked.planner)?, || {
        no_planner(goal, &wanted, &procedures)
    })?;
    let _held = alone(call, &id)?;
    let (begun, _) = match asked.escalate.is_some() {
        // What was escalated and then interrupted is not escalated twice by asking again.
        true => record(call, &id, call.expect, first(), &arguments)?,
        false => call.request(first()).naming(&id).run()?,
    };
    let escalation = escalated(&begun);
    let answered = ask(call, &id, &wanted, limits, &chosen, &procedures)?;
    let recorded = came_to(call, &id, (&wanted, limits), answered, &arguments);
    let (receipt, now) = recorded.map_err(|error| match error {
        TransactionError::Rejected(rejection) => Failure::from(rejection),
        error => FirstStep {
            says: match escalation {
                Some(_) => "it is escalated and a plan was asked for",
                None => "a plan was asked for",
            },
            again: "fix the cause, and plan again with `goal plan`",
        }
        .alone(error),
    })?;
    let mut outcome = of(receipt);
    outcome.data.escalation = escalation;
    Ok((outcome, now))
}

/// Records the plan that was answered, else that there is none.
fn came_to(
    call: &Call,
    id: &GoalId,
    (wanted, limits): (&PlanRequest, Limits),
    answered: Answered,
    arguments: &Value,
) -> Result<Recorded, TransactionError> {
    let Answered {
        revision,
        plan,
        cost,
    } = answered;
    let (none, cost) = match plan {
        Err(none) => (none, cost),
        Ok(plan) => {
            let act = TaskCommand::Plan {
                wanted: wanted.clone(),
                plan,
            };
            let told = (arguments, cost);
            match record_costing(call, id, revision, act_on_tasks(act, limits), told) {
                Err(TransactionError::Rejected(rejection)) if unfit(&rejection) => {
                    // What it cost is on record with the refusal.
                    (
                        format!("the planner's answer is refused: {rejection}"),
                        None,
                    )
                }
                recorded => return recorded,
            }
        }
    };
    let failed = TaskCommand::FailPlan(PlanFailed {
        reason: none,
        task_id: wanted.task.clone(),
    });
    let failed = act_on_tasks(failed, limits);
    record_costing(call, id, None, failed, (arguments, cost))
}

/// The goal, and what of it is to be planned: what was named is a task of the target, else a goal.
fn target<'a>(
    call: &Call,
    state: &'a State,
    asked: &PlanOptions,
) -> Result<(&'a Goal, PlanRequest), Rejection> {
    let wanted = |task: Option<&str>| PlanRequest {
        task: task.map(str::to_owned),
        revise: asked.revise.clone(),
        checkpoints: asked.checkpoints,
        escalated: asked.escalate.is_some(),
    };
    let here = match &asked.by_step {
        Some((id, _)) => select::by_id(state, id),
        None => select::target(state, call.goal.as_deref(), &call.caller),
    };
    let (what, is_task) = match &asked.what {
        None => return Ok((here?, wanted(None))),
        Some(What::Task(id)) => (id.as_str(), true),
        Some(What::Named(text)) => (text.as_str(), call.goal.is_some()),
    };
    let task_of = |goal: &'a Goal| Ok((goal, wanted(Some(&meant(goal, what)?.id))));
    match here {
        Ok(goal) if is_task || is_id(goal, what) => task_of(goal),
        Err(error) if is_task => Err(error),
        here => match (select::target(state, Some(what), &call.caller), here) {
            (Err(_), Ok(goal)) if meant(goal, what).is_ok() => task_of(goal),
            (goal, _) => Ok((goal?, wanted(None))),
        },
    }
}

/// Whether it is the planner's alone: a procedure knows no reason, and no success criteria.
fn needs_planner(wanted: &PlanRequest) -> bool {
    wanted.revise.is_some() || wanted.checkpoints || wanted.escalated
}

/// That nobody is there to plan, with the procedure that may apply.
fn no_planner(goal: &Goal, wanted: &PlanRequest, procedures: &[Procedure]) -> Failure {
    let configure = "set `[planner]` in the configuration or pass `--planner` (user only)";
    if needs_planner(wanted) {
        let message =
            "revisions, checkpoints and escalations need a planner, and none is configured";
        return Failure::new("no_planner", message, configure);
    }
    match suggested(goal, wanted.task.as_deref(), procedures) {
        Some(may_apply) => {
            let message = format!("no planner is configured. {}", may_apply.text());
            Failure::new("no_planner", message, format!("else {configure}"))
        }
        None => Failure::new(
            "no_planner",
            "no planner is configured, and no procedure seems to apply",
            format!(
                "{configure}; or write a procedure (`goal plan procedures list TEXT` shows what fits), or \
                 the tasks themselves"
            ),
        ),
    }
}

/// A procedure that may apply. Nobody has judged that yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedProcedure {
    pub id: String,
    pub title: String,
    /// The task that it may be for; the goal itself without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl SuggestedProcedure {
    /// What it is, and how it is taken by whoever finds that it applies.
    pub fn text(&self) -> String {
        let (id, title) = (one_line(&self.id), inline(&self.title, 100));
        let task = self.task_id.as_deref();
        let task = task.map_or_else(String::new, |task| format!("{} ", one_line(task)));
        format!(
            "Procedure {id} ({title}) may apply: if it does, take it with `goal plan {task}--procedure \
             {id}`"
        )
    }
}

/// The procedure that may apply to the goal, or to one of its tasks.
fn suggested(
    goal: &Goal,
    task: Option<&str>,
    procedures: &[Procedure],
) -> Option<SuggestedProcedure> {
    let ranked = rank(gloss(goal, task), procedures);
    let procedure = applicable(&ranked)?;
    Some(SuggestedProcedure {
        id: procedure.id.clone(),
        title: procedure.title.clone(),
        task_id: task.map(str::to_owned),
    })
}

/// The procedure that may apply to what of the goal is to be planned next; nothing where nothing is.
///
/// # Errors
/// The project's `procedures` is not a directory.
pub(in crate::ops) fn may_apply(
    call: &Call,
    goal: &Goal,
) -> Result<Option<SuggestedProcedure>, Failure> {
    let task = match next(&goal.tasks, &TaskStatuses::of(&goal.tasks)) {
        Step::NoTasks => None,
        Step::Plan(task) => Some(task.id.as_str()),
        _ => return Ok(None),
    };
    Ok(suggested(goal, task, &library(call)?.known()))
}

/// The plan that the procedure makes for what is wanted.
fn made_from(procedure: &Procedure, goal: &Goal, wanted: &PlanRequest) -> Plan {
    let task = wanted.task.as_deref();
    let path = task.map(|id| goal.tasks.path(id)).unwrap_or_default();
    let seen = goal.tasks.evidence.seen_by(&path);
    let known: BTreeSet<&EvidenceKey> = seen.values().into_keys().collect();
    adapt(procedure, &known)
}

/// The plan that a planner answered: its own, or that of a procedure which it was shown.
fn answered_plan(
    answer: Answer,
    (goal, wanted): (&Goal, &PlanRequest),
    ranked: &[Ranked<'_>],
) -> Result<Plan, String> {
    let id = match answer {
        Answer::Plan(plan) => return Ok(plan),
        Answer::Procedure(id) => id,
    };
    if needs_planner(wanted) {
        return Err("it takes a procedure, which only a first plan does".to_owned());
    }
    let mut shown = offered(ranked);
    match shown.find(|it| it.procedure.id == id) {
        Some(found) => Ok(made_from(found.procedure, goal, wanted)),
        None => Err(format!(
            "it takes the procedure `{}`, which it was not shown",
            one_line(&id)
        )),
    }
}

/// Takes the lock that says that a planner is at work, for as long as it is: two plans of one goal
/// would make each other stale.
fn alone(call: &Call, id: &GoalId) -> Result<FileLock, Failure> {
    call.settle_home()?;
    let path = call.workspace.paths.plan_lock(id);
    let held = FileLock::acquire(&path, call.lock_timeout)?;
    held.ok_or_else(|| {
        Failure::new(
            "plan_running",
            format!("another plan of goal {id} is being made"),
            "wait for it, and see what is left to plan with `goal next`",
        )
    })
}

/// What the planner came to.
struct Answered {
    /// The revision that it was asked about.
    revision: Option<EventId>,
    /// The plan, or why there is none.
    plan: Result<Plan, String>,
    /// What the call cost; nothing where it could not be started.
    cost: Option<UsageRecorded>,
}

/// Asks the planner about the goal as it is now.
fn ask(
    call: &Call,
    id: &GoalId,
    wanted: &PlanRequest,
    limits: Limits,
    chosen: &CommandInForce,
    procedures: &[Procedure],
) -> Result<Answered, Failure> {
    let snapshot = call.read()?;
    let goal = select::target(&snapshot.state, Some(id.as_str()), &call.caller)?;
    let revision = snapshot.revision(goal)?;
    let ranked = rank(gloss(goal, wanted.task.as_deref()), procedures);
    let input = input(goal, wanted, &ranked, &limits);
    let input = serde_json::to_string_pretty(&input).map_err(|error| Failure::internal(&error))?;
    let (answer, cost) = timed(call, Role::Planner, chosen, &(input + "\n"))?;
    let mut cost = Some(cost);
    let plan = match answer {
        Ok(text) => read(&text)
            .map_err(|error| error.to_string())
            .and_then(|answer| answered_plan(answer, (goal, wanted), &ranked))
            .map_err(|why| format!("the planner's answer is refused: {why}")),
        Err(NoAnswer::Cancelled) => {
            let _recorded = cost.map(|cost| charge(call, Some(goal), cost));
            return Err(Failure::new(
                "interrupted",
                "planning was cancelled; only that a plan was asked for is recorded, and what the \
                 call cost",
                "plan again with `goal plan`",
            ));
        }
        Err(NoAnswer::NotStarted(error)) => {
            cost = None;
            Err(format!("the planner could not be started: {error}"))
        }
        Err(NoAnswer::Unreadable(cause, stderr)) => {
            let why = unreadable(&cause, &stderr);
            Err(format!("the planner gave no answer: {why}"))
        }
    };
    Ok(Answered {
        revision,
        plan,
        cost,
    })
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
            | Rejection::TooLarge { .. }
    )
}

fn record(
    call: &Call,
    id: &GoalId,
    expect: Option<EventId>,
    command: Command,
    arguments: &Value,
) -> Result<Recorded, TransactionError> {
    record_costing(call, id, expect, command, (arguments, None))
}

/// Records it with what it cost to ask the planner.
fn record_costing(
    call: &Call,
    id: &GoalId,
    expect: Option<EventId>,
    command: Command,
    (arguments, cost): (&Value, Option<UsageRecorded>),
) -> Result<Recorded, TransactionError> {
    let request = call.request(command).key(arguments.clone());
    request.naming(id).expecting(expect).costing(cost).run()
}
