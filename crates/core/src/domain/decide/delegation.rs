//! Deciding that a goal is handed on: a child goal with an owner, linked both ways in one write; and
//! what its completion is to the goal that it came from.
//!
//! A child is always new and its parent always there, so no goal is ever its own ancestor.

use serde_json::json;

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::decide::contracts::{Origin, check, created, objective};
use crate::domain::decide::{By, PendingEvent, adoption, require_text};
use crate::domain::event::{DraftProposed, EvidenceAdded, GoalDelegated};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::key::EvidenceKey;

/// Whom a goal is owed to that was handed on from one without an owner.
pub const NOBODY_ELSE: &str = "user";

/// The key of the evidence that a child's completion is, on the goal that it came from. A task of
/// that goal can wait for it.
pub fn key(child: &GoalId) -> EvidenceKey {
    format!("completed.{child}").into()
}

/// Decides a delegation from `parent`, which is open: at once by the user, else as a proposal.
pub fn decide(
    state: &State,
    parent: &Goal,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let Command::Delegate {
        goal_id,
        draft_id,
        to,
        contract,
    } = command
    else {
        return Ok(Vec::new());
    };
    let contract = ContractChange {
        owner: Some(require_text("to", to)?),
        ..(**contract).clone()
    };
    if acts_for_user(caller) {
        return hand_on(state, parent, (goal_id, &contract), None, caller);
    }
    check(&contract)?;
    let contract = ContractChange {
        objective: Some(objective(&contract)?),
        sisyphus: Some(contract.sisyphus.unwrap_or(false)),
        ..contract
    };
    let proposed = DraftProposed {
        draft_id: draft_id.clone(),
        contract,
        parent_goal_id: Some(parent.id.clone()),
        ..DraftProposed::default()
    };
    Ok(vec![PendingEvent::about_no_goal(proposed)])
}

/// The child, and the fact that it was handed on.
pub fn hand_on(
    state: &State,
    parent: &Goal,
    (child, contract): (&GoalId, &ContractChange),
    draft: Option<&str>,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let to = require_text("owner", contract.owner.as_deref().unwrap_or_default())?;
    let owed_to = parent.contract.owner.as_deref().unwrap_or(NOBODY_ELSE);
    let origin = Origin {
        draft,
        parent: Some((&parent.id, owed_to)),
        ..Origin::default()
    };
    let mut events = vec![created(state, child, contract, &origin)?];
    events.extend(adoption(parent, caller)?);
    let delegated = GoalDelegated {
        child_goal_id: child.clone(),
        to,
    };
    events.push(PendingEvent::to(&parent.id, delegated));
    Ok(events)
}

/// What the completion of `child` is on the goal that it was handed on from; nothing where that one
/// has ended, is unknown, or another tool keeps it.
pub fn evidence(state: &State, child: &Goal, caller: &Caller) -> Vec<PendingEvent> {
    let parent = child.parent.as_ref().and_then(|id| state.goals.get(id));
    let parent = parent.filter(|parent| parent.status.is_open() && parent.id != child.id);
    let Some((parent, adopted)) = parent.and_then(|it| Some((it, adoption(it, caller).ok()?)))
    else {
        return Vec::new();
    };
    let request = child.gate.requested.as_ref();
    let given = EvidenceAdded {
        task_id: None,
        key: key(&child.id),
        value: json!({
            "goalId": child.id,
            "goal": child.contract.heading(),
            "owner": child.contract.owner,
            "summary": request.and_then(|request| request.summary.as_deref()),
        }),
        source: Some(format!("goal:{}", child.id)),
    };
    let events = adopted.into_iter().map(|event| event.payload);
    let events = PendingEvent::all(&parent.id, events.chain([given.into()]));
    events.map(|event| event.by(By::OtherGoal)).collect()
}
