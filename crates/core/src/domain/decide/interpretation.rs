//! Deciding what follows from a message that was interpreted. No interpretation creates a goal or
//! ends one: a goal of its own is proposed, and waits for the user's `confirm`.

use serde_json::{Map, Value};

use crate::domain::actor::Caller;
use crate::domain::command::{Command, MessageEffect};
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::decide::{PendingEvent, drafts, require_text, tasks};
use crate::domain::event::draft::DraftMode;
use crate::domain::event::{DraftProposed, DraftStarted, MessageInterpreted, Payload};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Decides on a message about `goal`, or about none where nothing is focused.
///
/// What a message was taken to mean is recorded of a goal. Without one only what follows is, since
/// such an event belongs to a goal.
pub fn decide(
    state: &State,
    goal: Option<&Goal>,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let Command::Interpret {
        action,
        reasoning,
        then,
        ..
    } = command
    else {
        return Ok(Vec::new());
    };
    let reasoning = require_text("reasoning", reasoning)?;
    let mut events = Vec::new();
    if let Some(goal) = goal {
        let action = (*action).to_owned();
        events.push(PendingEvent::to(
            &goal.id,
            MessageInterpreted { action, reasoning },
        ));
    }
    events.extend(match then {
        MessageEffect::Nothing => Vec::new(),
        MessageEffect::Act { act, limits } => {
            let goal = goal.ok_or_else(|| Rejection::no_focus(state))?;
            PendingEvent::all(&goal.id, tasks::decide(goal, act, limits, caller)?).collect()
        }
        MessageEffect::NewGoal {
            fresh,
            gloss,
            context,
        } => proposed(state, (fresh, gloss), context, caller)?,
    });
    Ok(events)
}

/// The goal that a message asks for, as a proposal with what is known of it. The user's own message
/// opens a draft of its own: without a word more they can confirm it, or talk it over first.
fn proposed(
    state: &State,
    (fresh, gloss): (&str, &str),
    context: &Map<String, Value>,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let contract = ContractChange {
        objective: Some(require_text("objective", gloss)?),
        ..ContractChange::default()
    };
    // A proposal that waits in the session's own draft is what another message asked for: it is not
    // replaced by this one.
    let own = state.drafts.own(caller, None, None);
    let taken = own.is_some_and(|draft| draft.proposal.is_some());
    let mut events = match acts_for_user(caller) {
        true => {
            let started = DraftStarted {
                draft_id: fresh.to_owned(),
                topic: contract.objective.clone().unwrap_or_default(),
                mode: DraftMode::Regular,
            };
            let opened = PendingEvent::about_no_goal(started);
            vec![opened, alone(fresh, contract)]
        }
        false if taken => vec![alone(fresh, contract)],
        false => {
            let propose = Command::Propose {
                draft: None,
                fresh: fresh.to_owned(),
                mode: None,
                contract: Box::new(contract),
            };
            drafts::decide(state, &propose, caller)?
        }
    };
    for event in &mut events {
        if let Payload::DraftProposed(proposed) = &mut event.payload {
            proposed.context = Some(context.clone()).filter(|it| !it.is_empty());
        }
    }
    Ok(events)
}

/// The proposal of a draft that is for this message alone.
fn alone(fresh: &str, contract: ContractChange) -> PendingEvent {
    let proposed = DraftProposed {
        draft_id: fresh.to_owned(),
        contract: ContractChange {
            sisyphus: Some(false),
            ..contract
        },
        ..DraftProposed::default()
    };
    PendingEvent::about_no_goal(proposed)
}
