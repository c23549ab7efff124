//! Who holds a place of an owner after these events, and who gives way: the rule of
//! [`slots`](crate::domain::goal::slots) applied to whatever was decided. One place for all acts
//! by which a goal becomes active or gets another owner.

use std::collections::BTreeMap;

use crate::domain::decide::{By, PendingEvent, needs_adoption};
use crate::domain::event::GoalPaused;
use crate::domain::event::Payload;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::slots::{Holder, claim};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// How a goal stands in the ranking of its owner.
#[derive(Debug, Clone, PartialEq)]
struct Stand {
    contract: Contract,
    active: bool,
    ordinal: usize,
}

impl Stand {
    fn of(goal: &Goal) -> Stand {
        Stand {
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
    let claims = |id: &GoalId, now: &Stand| {
        let was = before.get(id).and_then(|owner| owner.as_deref());
        now.owner().is_some() && now.owner() != was
    };
    let mut claimants: Vec<(&GoalId, &Stand)> =
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

fn holder<'a>(id: &'a GoalId, stand: &Stand) -> Holder<'a> {
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
) -> (BTreeMap<GoalId, Option<String>>, BTreeMap<GoalId, Stand>) {
    let mut before = BTreeMap::new();
    let mut after: BTreeMap<GoalId, Stand> = BTreeMap::new();
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
            let stand = Stand::of(goal);
            // A goal can hold a place only once it is ours.
            let owner = stand.owner().filter(|_| !needs_adoption(goal));
            before.insert(id.clone(), owner.map(str::to_owned));
            after.insert(id.clone(), stand);
        }
        let ordinal = state.goals.len() + after.len();
        let stand = after.entry(id.clone()).or_insert_with(|| Stand {
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
fn standing(state: &State, after: &BTreeMap<GoalId, Stand>) -> BTreeMap<GoalId, Stand> {
    let active = state.goals.in_turn(|status| status == Status::Active);
    let untouched = active.filter(|goal| !after.contains_key(&goal.id) && !needs_adoption(goal));
    let stands = untouched.map(|goal| (goal.id.clone(), Stand::of(&goal)));
    let mut standing: BTreeMap<GoalId, Stand> = after.clone();
    standing.extend(stands.filter(|(_, stand)| stand.owner().is_some()));
    standing
}
