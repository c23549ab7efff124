//! What every contract has to keep, and the creation of the goal that it is for, alone or with others
//! of a plan.
//!
//! Deciding a queue of goals that a plan asks for: each with its first tasks, all in one write. What
//! a plan brought before it does not bring again, whatever became of it since.

use std::collections::BTreeSet;

use crate::domain::actor::Caller;
use crate::domain::command::Planned;
use crate::domain::decide::{PendingEvent, require_text, tasks};
use crate::domain::event::{GoalCreated, GoalFocused};
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::spec::Limits;

/// The creation of a goal, and the focus on it.
pub fn create(
    state: &State,
    goal_id: &GoalId,
    contract: &ContractChange,
    (origin, caller): (Origin<'_>, &Caller),
    reason: &str,
) -> Result<[PendingEvent; 2], Rejection> {
    let origin = Origin {
        outer: focused(state, caller.session.as_deref()),
        ..origin
    };
    let focused = GoalFocused {
        reason: reason.to_owned(),
    };
    Ok([
        created(state, goal_id, contract, &origin)?,
        PendingEvent::to(goal_id, focused),
    ])
}

/// What a goal comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    pub draft: Option<&'a str>,
    /// The goal that it is handed on from, and whom it is owed to.
    pub parent: Option<(&'a GoalId, &'a str)>,
    /// The goal whose place in the focus it takes.
    pub outer: Option<&'a GoalId>,
    /// The ended goal whose contract it takes over.
    pub like: Option<&'a GoalId>,
}

/// The creation of a goal.
pub fn created(
    state: &State,
    goal_id: &GoalId,
    contract: &ContractChange,
    origin: &Origin<'_>,
) -> Result<PendingEvent, Rejection> {
    // A second creation would be ignored, and with it what the user wants.
    if state.goals.get(goal_id).is_some() {
        let id = goal_id.clone();
        return Err(Rejection::IdTaken { id });
    }
    check(contract)?;
    let contract = ContractChange {
        objective: Some(objective(contract)?),
        sisyphus: Some(contract.sisyphus.unwrap_or(false)),
        auto_continue: Some(contract.auto_continue.unwrap_or(true)),
        ..contract.clone()
    };
    let created = GoalCreated {
        contract,
        parent_goal_id: origin.parent.map(|(id, _)| id.clone()),
        delegated_from: origin.parent.map(|(_, owner)| owner.to_owned()),
        draft_id: origin.draft.map(str::to_owned),
        returns_to: origin.outer.cloned(),
        like: origin.like.cloned(),
        ..GoalCreated::default()
    };
    Ok(PendingEvent::to(goal_id, created))
}

/// Whether a goal of this contract could be created.
///
/// # Errors
/// What is wrong with it.
pub fn may_be_created(contract: &ContractChange) -> Result<(), Rejection> {
    check(contract)?;
    objective(contract).map(drop)
}

/// The objective, which has to say something.
pub fn objective(contract: &ContractChange) -> Result<String, Rejection> {
    require_text(
        "objective",
        contract.objective.as_deref().unwrap_or_default(),
    )
}

/// What no contract may hold, whoever sets it.
pub fn check(contract: &ContractChange) -> Result<(), Rejection> {
    if let Some(text) = &contract.objective {
        require_text("objective", text)?;
    }
    if contract
        .priority
        .is_some_and(|priority| !(0.0..=1.0).contains(&priority))
    {
        return Err(Rejection::invalid("priority", "is not from 0 to 1"));
    }
    if let Some(owner) = &contract.owner
        && !is_owner(owner)
    {
        let problem = format!(
            "must be printable text of at most {LONGEST_OWNER} bytes, without white space at its beginning and end"
        );
        return Err(Rejection::invalid("owner", problem));
    }
    let bad = |name: &&String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        name.is_empty() || !name.chars().all(plain)
    };
    if let Some(name) = contract.checks.iter().flatten().find(bad) {
        let problem = format!("names `{name}`; a check is a name, its command is configured");
        return Err(Rejection::invalid("checks", problem));
    }
    Ok(())
}

/// The longest name of an owner, in bytes.
const LONGEST_OWNER: usize = 100;

/// Whether it names an owner, or nobody. Names are compared as they are, so white space around one
/// would make another owner of it, with places of its own.
fn is_owner(name: &str) -> bool {
    name.len() <= LONGEST_OWNER && name.trim() == name && !name.chars().any(char::is_control)
}

/// The creation of every goal. The focus moves only where there is none: a queue is worked from its
/// head.
pub fn decide_import(
    state: &State,
    goals: &[Planned],
    limits: &Limits,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    if goals.is_empty() {
        return Err(Rejection::EmptyField { field: "goals" });
    }
    let known = state.goals.in_turn(|_| true);
    let known: BTreeSet<String> = known
        .map(|goal| goal.contract.objective.trim().to_owned())
        .collect();
    let is_new = |planned: &&Planned| {
        let objective = planned.contract.objective.as_deref();
        objective.is_none_or(|it| !known.contains(it.trim()))
    };
    let new: Vec<&Planned> = goals.iter().filter(is_new).collect();
    if new.is_empty() {
        return Err(Rejection::AlreadyImported { what: "goals" });
    }
    let mut focus = focused(state, caller.session.as_deref()).is_none();
    let mut pending_events = Vec::new();
    for planned in new {
        let id = &planned.goal_id;
        pending_events.push(created(state, id, &planned.contract, &Origin::default())?);
        if std::mem::take(&mut focus) {
            let reason = "the first of those that were created at once".to_owned();
            pending_events.push(PendingEvent::to(id, GoalFocused { reason }));
        }
        let first = tasks::first(&planned.tasks, "import", limits)?;
        pending_events.extend(PendingEvent::all(id, first));
    }
    Ok(pending_events)
}
