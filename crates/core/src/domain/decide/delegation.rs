//! Deciding that a goal is handed on: a child goal with an owner, linked both ways in one write; and
//! what its completion is to the goal that it came from.
//!
//! A child is always new and its parent always there, so no goal is ever its own ancestor.
//!
//! Who holds a place of an owner after these events, and who gives way: the rule of
//! [`slots`](crate::domain::goal::slots) applied to whatever was decided. One place for all acts
//! by which a goal becomes active or gets another owner.

use std::collections::BTreeMap;

use serde_json::json;

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::decide::creation::{Origin, check, created, objective};
use crate::domain::decide::{By, PendingEvent, adoption, needs_adoption, require_text};
use crate::domain::event::{DraftProposed, EvidenceAdded, GoalDelegated, GoalPaused, Payload};
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::slots::{Holder, claim};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;
use crate::domain::task::condition::EvidenceKey;

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

/// How a goal stands in the ranking of its owner.
#[derive(Debug, Clone, PartialEq)]
struct Rank {
    contract: Contract,
    active: bool,
    ordinal: usize,
}

impl Rank {
    fn of(goal: &Goal) -> Rank {
        Rank {
            contract: goal.contract.clone(),
            active: goal.status == Status::Active,
            ordinal: goal.ordinal,
        }
    }

    /// The owner whose place it holds.
    fn owner(&self) -> Option<&str> {
        let owner = self.contract.owner.as_deref();
        owner.filter(|_| self.active)
    }
}

/// The events with the pauses that follow from them. `slots` is asked only where somebody claims a
/// place: who has no owners needs no configuration.
///
/// # Errors
/// A goal claims a place that it does not get; or what asking for `slots` came to.
pub fn enforce_slots<E: From<Rejection>>(
    state: &State,
    mut pending_events: Vec<PendingEvent>,
    slots: impl FnOnce() -> Result<usize, E>,
) -> Result<Vec<PendingEvent>, E> {
    let (before, after) = stands(state, &pending_events);
    let claims = |id: &GoalId, now: &Rank| {
        let was = before.get(id).and_then(|owner| owner.as_deref());
        now.owner().is_some() && now.owner() != was
    };
    let mut claimants: Vec<(&GoalId, &Rank)> =
        after.iter().filter(|(id, now)| claims(id, now)).collect();
    if claimants.is_empty() {
        return Ok(pending_events);
    }
    claimants.sort_by_key(|(_, stand)| stand.ordinal);
    let slots = slots()?;
    let mut now = standing(state, &after);
    for (id, _) in &claimants {
        now.remove(*id);
    }
    for (id, stand) in claimants {
        let Some(owner) = stand.owner() else { continue };
        let held = now.iter().filter(|(_, other)| other.owner() == Some(owner));
        let held: Vec<Holder<'_>> = held.map(|(id, other)| holder(id, other)).collect();
        let claimant = holder(id, stand);
        let losers = claim(&claimant, &held, slots).map_err(|unbeaten| Rejection::NoSlot {
            owner: owner.to_owned(),
            slots,
            id: unbeaten.id.clone(),
            priority: claimant.priority.to_string(),
            unbeaten: unbeaten.priority.to_string(),
        })?;
        let losers: Vec<(GoalId, f64)> = losers
            .iter()
            .map(|it| (it.id.clone(), it.priority))
            .collect();
        for (loser, priority) in losers {
            now.remove(&loser);
            let (winner, higher) = (&claimant.id, claimant.priority);
            let reason = format!(
                "gave its place to goal {winner}, which outranks it (priority {higher} against \
                 {priority}); all places of {owner} were taken (slots: {slots})"
            );
            pending_events.push(pause(&loser, reason));
        }
        now.insert(id.clone(), stand.clone());
    }
    Ok(pending_events)
}

fn pause(loser: &GoalId, reason: String) -> PendingEvent {
    let paused = GoalPaused {
        suggested_action: Some(
            "`goal resume` once its owner has a free place, or a higher --priority with `goal tweak`"
                .into(),
        ),
        source: Some("slots".into()),
        ..GoalPaused::because(reason)
    };
    PendingEvent::to(loser, paused).by(By::OtherGoal)
}

fn holder<'a>(id: &'a GoalId, stand: &Rank) -> Holder<'a> {
    Holder {
        id,
        priority: stand.contract.rank(),
        ordinal: stand.ordinal,
    }
}

/// The goals that the events are about: whose places they hold before, and how they stand after.
fn stands(
    state: &State,
    pending_events: &[PendingEvent],
) -> (BTreeMap<GoalId, Option<String>>, BTreeMap<GoalId, Rank>) {
    let mut before = BTreeMap::new();
    let mut after: BTreeMap<GoalId, Rank> = BTreeMap::new();
    for pending_event in pending_events {
        let Some(id) = &pending_event.goal_id else {
            continue;
        };
        let payload = &pending_event.payload;
        let contract = match payload {
            Payload::GoalCreated(created) => Some(&created.contract),
            Payload::GoalTweaked(tweaked) => Some(&tweaked.contract),
            _ => None,
        };
        if contract.is_none() && payload.status().is_none() {
            continue;
        }
        if let Some(goal) = state.goals.get(id)
            && !before.contains_key(id)
        {
            let stand = Rank::of(goal);
            // A goal can hold a place only once it is ours.
            let owner = stand.owner().filter(|_| !needs_adoption(goal));
            before.insert(id.clone(), owner.map(str::to_owned));
            after.insert(id.clone(), stand);
        }
        let ordinal = state.goals.len() + after.len();
        let stand = after.entry(id.clone()).or_insert_with(|| Rank {
            contract: Contract::default(),
            active: true,
            ordinal,
        });
        if let Some(contract) = contract {
            stand.contract.apply(contract);
        }
        if let Some(status) = payload.status() {
            stand.active = status == Status::Active;
        }
    }
    (before, after)
}

/// The goals of ours that hold a place after the events, and all that the events are about.
fn standing(state: &State, after: &BTreeMap<GoalId, Rank>) -> BTreeMap<GoalId, Rank> {
    let active = state.goals.in_turn(|status| status == Status::Active);
    let untouched = active.filter(|goal| !after.contains_key(&goal.id) && !needs_adoption(goal));
    let stands = untouched.map(|goal| (goal.id.clone(), Rank::of(&goal)));
    let mut standing: BTreeMap<GoalId, Rank> = after.clone();
    standing.extend(stands.filter(|(_, stand)| stand.owner().is_some()));
    standing
}
