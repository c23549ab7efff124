//! Deciding changes of a goal's contract: the user's own are in force at once, and what an agent
//! proposes waits for the user's confirmation, also when the user has opened a tweak.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::decide::creation::check;
use crate::domain::decide::drafts::named;
use crate::domain::decide::{PendingEvent, adoption, adoption_with, must_be_open, require_text};
use crate::domain::event::draft::DraftMode;
use crate::domain::event::{DraftProposed, DraftStarted, GoalTweaked};
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select::by_id;
use crate::domain::state::State;
use crate::domain::wire::fits_a_line;

/// Decides a change of `goal`'s contract, or the intent to make one.
pub fn decide(
    state: &State,
    goal: &Goal,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    match command {
        Command::OpenTweak { draft_id, topic } => {
            let topic = require_text("topic", topic)?;
            if let Some(draft) = state.drafts.own(caller, Some(&goal.id), None) {
                // A second one would take the proposal that is meant for the first.
                let draft = draft.draft_id.clone();
                return Err(Rejection::TweakOpen {
                    id: goal.id.clone(),
                    draft,
                });
            }
            let started = DraftStarted {
                draft_id: draft_id.clone(),
                topic,
                mode: DraftMode::Tweak,
            };
            let mut events = adoption(goal, caller)?;
            events.push(PendingEvent::to(&goal.id, started));
            Ok(events)
        }
        Command::Tweak {
            change,
            summary,
            draft,
            fresh,
        } => {
            let change = differing(change, goal)?;
            let summary = require_text("summary", summary)?;
            if caller.actor == Actor::Agent {
                let draft = match draft {
                    Some(id) => Some(of_goal(named(state, id, caller)?, goal)?),
                    None => state.drafts.own(caller, Some(&goal.id), None),
                };
                let draft = draft.map_or(fresh, |draft| &draft.draft_id);
                return Ok(proposed(goal, draft, change, summary));
            }
            let mut events = adoption(goal, caller)?;
            if !events.iter().all(|it| fits_a_line(&it.payload)) {
                // The change is what makes it fit.
                let mut contract = goal.contract.clone();
                contract.apply(&change);
                events = adoption_with(goal, &contract, caller)?;
            }
            events.push(tweaked(&goal.id, &change, &summary, None));
            Ok(events)
        }
        _ => Ok(Vec::new()),
    }
}

/// The proposal of a change. It adopts nothing: the user's confirmation does.
fn proposed(
    goal: &Goal,
    draft: &str,
    change: ContractChange,
    summary: String,
) -> Vec<PendingEvent> {
    let proposed = DraftProposed {
        draft_id: draft.to_owned(),
        contract: change,
        summary: Some(summary),
        ..DraftProposed::default()
    };
    vec![PendingEvent::to(&goal.id, proposed)]
}

/// The draft, if it is for a change of this goal.
fn of_goal<'a>(draft: &'a Draft, goal: &Goal) -> Result<&'a Draft, Rejection> {
    match draft.goal_id.as_ref() == Some(&goal.id) {
        true => Ok(draft),
        false => Err(Rejection::NoDraft {
            draft: Some(draft.draft_id.clone()),
        }),
    }
}

/// A proposal that names the draft of a tweak is that tweak; its flags are part of the change,
/// not a mode.
pub fn propose_for(
    state: &State,
    (draft, id): (&Draft, &GoalId),
    mode: Option<DraftMode>,
    contract: &ContractChange,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let focus = focused(state, caller.session.as_deref());
    if caller.actor == Actor::Agent && focus != Some(id) {
        return Err(Rejection::NotFocused {
            named: id.clone(),
            focused: focus.cloned(),
        });
    }
    if let Some(proposal) = mode.filter(|mode| *mode != draft.mode) {
        return Err(Rejection::ModeMismatch {
            draft: draft.mode,
            proposal,
        });
    }
    let goal = goal_of(state, id)?;
    let change = differing(contract, goal)?;
    let summary = match draft.topic.as_str() {
        "" => "proposed for the draft",
        topic => topic,
    };
    Ok(proposed(goal, &draft.draft_id, change, summary.to_owned()))
}

/// The open goal that a tweak is for.
pub fn goal_of<'a>(state: &'a State, id: &GoalId) -> Result<&'a Goal, Rejection> {
    let goal = by_id(state, id)?;
    must_be_open(goal)?;
    Ok(goal)
}

/// What `change` would make different in the goal's contract.
pub fn differing(change: &ContractChange, goal: &Goal) -> Result<ContractChange, Rejection> {
    let change = change.differing(&goal.contract);
    check(&change)?;
    if change.is_empty() {
        return Err(Rejection::nothing_changes(goal));
    }
    Ok(change)
}

/// A change of the contract.
pub fn tweaked(
    id: &GoalId,
    change: &ContractChange,
    summary: &str,
    draft: Option<&str>,
) -> PendingEvent {
    let payload = GoalTweaked {
        change_summary: summary.to_owned(),
        contract: change.clone(),
        draft_id: draft.map(str::to_owned),
        ..GoalTweaked::default()
    };
    PendingEvent::to(id, payload)
}
