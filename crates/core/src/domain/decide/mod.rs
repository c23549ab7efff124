//! Decide: state and command to events or a rejection. The home of policy; apply has none.

mod authorise;
pub mod completion;
pub mod continuation;
pub mod cost;
mod creation;
pub mod delegation;
pub mod drafts;
mod interpretation;
mod iterations;
mod lifecycle;
mod progress;
mod runs;
mod settlement;
mod stores;
mod tasks;
mod tweaks;

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, Outside};
use crate::domain::cost::CostCommand;
use crate::domain::event::{GoalCreated, GoalPaused, GoalTweaked, Payload};
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::state::{ContractSource, Goal, Keeper, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::wire::fits_a_line;

pub(in crate::domain) use completion::requestable;
pub use cost::with_usage;
pub use creation::may_be_created;
pub use delegation::enforce_slots;
pub use drafts::{decided_on, shown_at};
pub use tasks::{exactly, is_id, meant, still_open};

/// Something that is to be appended: the goal it is about, what happened, and who says so.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingEvent {
    pub goal_id: Option<GoalId>,
    pub payload: Payload,
    pub by: By,
}

/// In whose name something is appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The caller's.
    Caller,
    /// Ours (`system`): a rule says so of the goal that the caller works.
    Rule,
    /// Ours, and in nobody's session: it is about another goal than the caller works.
    OtherGoal,
}

impl By {
    /// The caller as whom it is appended.
    pub fn caller(self, caller: &Caller) -> Caller {
        match self {
            By::Caller => caller.clone(),
            By::Rule => Caller {
                actor: Actor::System,
                ..caller.clone()
            },
            By::OtherGoal => Caller::new(Actor::System),
        }
    }
}

impl PendingEvent {
    fn to(goal_id: &GoalId, payload: impl Into<Payload>) -> PendingEvent {
        PendingEvent {
            goal_id: Some(goal_id.clone()),
            payload: payload.into(),
            by: By::Caller,
        }
    }

    /// What happened to one goal, in order.
    fn all(
        goal_id: &GoalId,
        payloads: impl IntoIterator<Item = Payload>,
    ) -> impl Iterator<Item = PendingEvent> {
        let payloads = payloads.into_iter();
        payloads.map(|payload| PendingEvent::to(goal_id, payload))
    }

    /// The same event, in the name of `by`.
    fn by(self, by: By) -> PendingEvent {
        PendingEvent { by, ..self }
    }

    /// What happens to none.
    pub fn about_no_goal(payload: impl Into<Payload>) -> PendingEvent {
        PendingEvent {
            goal_id: None,
            payload: payload.into(),
            by: By::Caller,
        }
    }
}

/// The goal a command acts on, with its revision's id, which only the ledger's bytes tell.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub goal: &'a Goal,
    pub revision: Option<EventId>,
    pub pending: Pending,
}

/// The ids of what the gate has under way on a goal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pending {
    /// The request of ours that waits for its result.
    pub request: Option<EventId>,
    /// The audit of ours that began and has no result.
    pub start: Option<EventId>,
}

impl Pending {
    /// What is under way on the goal; `id` reads the id of a line.
    pub fn of<E>(goal: &Goal, id: impl Fn(LineRef) -> Result<EventId, E>) -> Result<Pending, E> {
        let gate = &goal.gate;
        let request = gate.requested.as_ref().filter(|request| request.ours);
        let start = gate.running.as_ref().filter(|running| running.ours);
        Ok(Pending {
            request: request.map(|request| id(request.line)).transpose()?,
            start: start.map(|running| id(running.line)).transpose()?,
        })
    }
}

/// Decides a command. `target` is the goal it acts on, for commands that need one.
pub fn decide(
    state: &State,
    target: Option<Target<'_>>,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    authorise::authorise(state, command, caller)?;
    if let Command::Settle { settlement } = command {
        let goal = target.map(|target| target.goal);
        return settlement::decide(state, goal, settlement);
    }
    if let Command::Store(act) = command {
        return Ok(stores::decide(state, act));
    }
    if !command.needs_goal() {
        return match command {
            Command::Interpret { .. } => interpretation::decide(state, None, command, caller),
            _ => drafts::decide(state, command, caller),
        };
    }
    let target = target.ok_or_else(|| Rejection::no_focus(state))?;
    let goal = target.goal;
    // A run stops after the goal's end too.
    if let Command::Run(act) = command {
        let payloads = runs::decide(state, goal, act, caller)?;
        return Ok(PendingEvent::all(&goal.id, payloads).collect());
    }
    // What the work on it cost is a fact that may be known only after its end.
    if let Command::Cost { act } = command
        && matches!(**act, CostCommand::Add(_))
        && !goal.status.is_open()
    {
        return cost::decide(goal, act, caller);
    }
    must_be_open(goal)?;
    must_not_be_contested(goal, command)?;
    lifecycle::only_active(goal, command, caller)?;
    if let Command::OpenTweak { .. } | Command::Tweak { .. } = command {
        return tweaks::decide(state, goal, command, caller);
    }
    if let Command::Delegate { .. } = command {
        return delegation::decide(state, goal, command, caller);
    }
    let mut events = match command {
        // What an audit of ours came to is recorded whatever the goal has become: it changes no
        // contract.
        Command::StartAudit(_) | Command::RecordAudit(_) if goal.keeper == Keeper::Ours => {
            Vec::new()
        }
        // What a host observes takes no goal over.
        Command::Continue { .. } | Command::UserPrompted { .. } => Vec::new(),
        Command::Pause(_) | Command::End(_) => adoption_to_stop(goal, caller)?,
        Command::RequestCompletion { .. } => {
            let events = adoption(goal, caller)?;
            must_not_rest_elsewhere(goal)?;
            events
        }
        _ => adoption(goal, caller)?,
    };
    let on_goal = |payloads: Vec<Payload>| PendingEvent::all(&goal.id, payloads).collect();
    events.extend(match command {
        Command::RequestCompletion { .. } | Command::StartAudit(_) | Command::RecordAudit(_) => {
            // An adoption before it moves the revision, to an id that nobody knows yet.
            let revision = target.revision.filter(|_| events.is_empty());
            let target = Target { revision, ..target };
            let payloads = completion::decide(state, target, command, caller)?;
            let mut decided: Vec<PendingEvent> = on_goal(payloads);
            let completes = |it: &PendingEvent| matches!(it.payload, Payload::GoalCompleted(_));
            if decided.iter().any(completes) {
                decided.extend(delegation::evidence(state, goal, caller));
            }
            decided
        }
        Command::Continue { most, tree } => {
            continuation::go_on(state, target, caller, *most, tree.as_deref())?
        }
        Command::UserPrompted { named } => {
            let joins = *named && continuation::joins(state, goal, caller);
            on_goal(vec![continuation::user_prompted(goal, joins)?])
        }
        Command::Iteration { act, now } => on_goal(iterations::decide(goal, act, *now, caller)?),
        // What checks came to, whatever that is.
        Command::RecordChecks(runs) => on_goal(runs.iter().cloned().map(Into::into).collect()),
        Command::Task { act, limits } => on_goal(tasks::decide(goal, act, limits, caller)?),
        Command::Interpret { .. } => interpretation::decide(state, Some(goal), command, caller)?,
        Command::Progress { act } => on_goal(progress::decide(goal, act, caller)?),
        Command::Cost { act } => cost::decide(goal, act, caller)?,
        _ => on_goal(
            lifecycle::decide(goal, command, caller)?
                .into_iter()
                .collect(),
        ),
    });
    events.extend(lifecycle::focus_back(state, goal, &events, caller));
    let ends = |it: &PendingEvent| {
        let is_of_goal = it.goal_id.as_ref() == Some(&goal.id);
        is_of_goal
            && matches!(
                it.payload,
                Payload::GoalCompleted(_) | Payload::GoalAborted(_)
            )
    };
    if events.iter().any(ends) {
        // Before the end, after which nothing of the goal is open.
        let ended = completion::drafts_end(state, goal);
        events.splice(0..0, ended.into_iter().map(|it| it.by(By::Rule)));
    }
    Ok(events)
}

/// Whether the caller may do this on the goal, asked before the program is started that does it.
/// Without a goal it says only what is refused on every goal.
pub fn may_begin(
    state: &State,
    goal: Option<&Goal>,
    act: Outside,
    caller: &Caller,
) -> Result<(), Rejection> {
    authorise::may_begin(state, act, caller)?;
    match goal {
        Some(goal) => {
            must_be_open(goal)?;
            adoption(goal, caller).map(|_| ())
        }
        None => Ok(()),
    }
}

/// Whether the next act on the goal takes its contract over first: no line of ours carries it.
pub fn needs_adoption(goal: &Goal) -> bool {
    !goal.created || goal.contract_source != ContractSource::Ours
}

/// Refuses to complete a goal of which the user has to choose first what it is, and to go on with one
/// that may be complete.
fn must_not_be_contested(goal: &Goal, command: &Command) -> Result<(), Rejection> {
    let Some(contest) = &goal.contest else {
        return Ok(());
    };
    let refused = match command {
        Command::RequestCompletion { .. } | Command::StartAudit(_) => true,
        Command::Resume(_) | Command::Continue { .. } => contest.kind() == ContestKind::Completion,
        _ => false,
    };
    match refused {
        true => Err(Rejection::Contested {
            id: goal.id.clone(),
        }),
        false => Ok(()),
    }
}

/// Refuses a goal that has ended.
pub fn must_be_open(goal: &Goal) -> Result<(), Rejection> {
    if goal.status.is_open() {
        return Ok(());
    }
    if goal.in_document.status {
        return Err(stopped_elsewhere(goal));
    }
    Err(Rejection::GoalClosed {
        id: goal.id.clone(),
        status: goal.status,
    })
}

/// Refuses to go on with a goal that the tool which keeps it has stopped.
///
/// # Errors
/// [`Rejection::StoppedElsewhere`].
pub fn must_not_rest_elsewhere(goal: &Goal) -> Result<(), Rejection> {
    match goal.keeper != Keeper::Ours && goal.status != Status::Active {
        true => Err(stopped_elsewhere(goal)),
        false => Ok(()),
    }
}

fn stopped_elsewhere(goal: &Goal) -> Rejection {
    Rejection::StoppedElsewhere {
        id: goal.id.clone(),
        status: goal.status,
        reason: goal.pause.as_ref().map(|pause| pause.reason.clone()),
    }
}

/// The events by which a goal of another tool becomes ours, before the first act on it. Only a
/// user's act adopts.
fn adoption(goal: &Goal, caller: &Caller) -> Result<Vec<PendingEvent>, Rejection> {
    adoption_with(goal, &goal.contract, caller)
}

/// The same with another contract than the goal has: what only stops it can do without one, and a
/// change of it can be what makes it fit.
fn adoption_with(
    goal: &Goal,
    contract: &Contract,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    if !needs_adoption(goal) {
        return Ok(Vec::new());
    }
    if !authorise::acts_for_user(caller) {
        return Err(Rejection::NotAdopted {
            id: goal.id.clone(),
        });
    }
    let contract = ContractChange::of(contract);
    let taken: Payload = match goal.created {
        true => GoalTweaked {
            change_summary: match goal.in_document.contract {
                true => "contract taken over from the goal's document".into(),
                false => "contract taken over as another tool recorded it".into(),
            },
            contract,
            imported: Some(true),
            ..GoalTweaked::default()
        }
        .into(),
        false => GoalCreated {
            contract,
            imported: Some(true),
            ..GoalCreated::default()
        }
        .into(),
    };
    let mut payloads = vec![taken];
    // Only a document said so: the ledger has to learn it, or the goal would wake up.
    if goal.in_document.status {
        payloads.push(rest_of_document(goal).into());
    }
    payloads.extend(tasks::taken_over(goal));
    Ok(PendingEvent::all(&goal.id, payloads).collect())
}

/// What only stops a goal takes over what fits into a line: a goal can be ended whatever its size.
fn adoption_to_stop(goal: &Goal, caller: &Caller) -> Result<Vec<PendingEvent>, Rejection> {
    let events = adoption(goal, caller)?;
    let fits = events.iter().all(|it| fits_a_line(&it.payload));
    Ok(if fits { events } else { Vec::new() })
}

fn rest_of_document(goal: &Goal) -> GoalPaused {
    let pause = goal.pause.as_ref();
    let reason = pause.map_or("paused when it was taken over", |pause| &pause.reason);
    GoalPaused {
        suggested_action: pause.and_then(|pause| pause.suggested_action.clone()),
        source: Some(GoalPaused::IN_DOCUMENT.into()),
        blocked: (goal.status == Status::Blocked).then_some(true),
        since: pause.and_then(|pause| pause.at.clone()),
        ..GoalPaused::because(reason)
    }
}

/// A text that says something, where one is given.
fn require_text_if_given(
    field: &'static str,
    text: Option<&str>,
) -> Result<Option<String>, Rejection> {
    text.map(|text| require_text(field, text)).transpose()
}

/// A text that says something.
fn require_text(field: &'static str, text: &str) -> Result<String, Rejection> {
    match text.trim() {
        "" => Err(Rejection::EmptyField { field }),
        _ => Ok(text.trim_end().to_owned()),
    }
}

#[cfg(test)]
mod tests;
