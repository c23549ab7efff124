//! Deciding changes of a goal's contract: at once by the user, by an agent where the user opened a
//! tweak, else as a proposal (DESIGN §4.2).

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::decide::contracts::check;
use crate::domain::decide::drafts::resolved;
use crate::domain::decide::{Happening, adoption, must_be_open, said};
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::events::{
    DraftMode, DraftOutcome, DraftProposed, DraftStarted, GoalTweaked,
};
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::select::by_id;
use crate::domain::state::State;

/// Decides a change of `goal`'s contract, or the intent to make one.
pub fn decide(
    state: &State,
    goal: &Goal,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    match command {
        Command::OpenTweak { draft_id, topic } => {
            let topic = said("topic", topic)?;
            if let Some(draft) = opened(state, goal) {
                // The next proposal is applied at once, and it is to be one.
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
            events.push(Happening::to(&goal.id, started));
            Ok(events)
        }
        Command::Tweak {
            change,
            summary,
            fresh,
        } => {
            let change = differing(change, goal)?;
            let summary = said("summary", summary)?;
            if caller.actor == Actor::Agent {
                return propose_tweak(state, goal, &change, &summary, fresh, caller);
            }
            let mut events = adoption(goal, caller)?;
            events.push(tweaked(&goal.id, &change, &summary, None));
            Ok(events)
        }
        _ => Ok(Vec::new()),
    }
}

/// An agent's change: applied when the user has opened a tweak of the goal, else it waits. What
/// only waits adopts nothing: the user's confirmation does.
fn propose_tweak(
    state: &State,
    goal: &Goal,
    change: &ContractChange,
    summary: &str,
    fresh: &str,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    let opened = opened(state, goal);
    let draft_id = opened.map_or(fresh, |draft| &draft.draft_id);
    let proposed = DraftProposed {
        draft_id: draft_id.to_owned(),
        contract: change.clone(),
        parent_goal_id: None,
        context: None,
    };
    let mut events = match opened {
        Some(_) => adoption(goal, caller)?,
        None => Vec::new(),
    };
    events.push(Happening::to(&goal.id, proposed));
    if let Some(draft) = opened {
        events.push(tweaked(&goal.id, change, summary, Some(draft_id)));
        events.push(resolved(draft, DraftOutcome::Confirmed));
    }
    Ok(events)
}

/// A proposal that names the draft of a tweak is that tweak; its flags are part of the change,
/// not a mode.
pub fn propose_for(
    state: &State,
    (draft, id): (&Draft, &GoalId),
    mode: Option<DraftMode>,
    contract: &ContractChange,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
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
        "" => "proposed for the opened tweak",
        topic => topic,
    };
    propose_tweak(state, goal, &change, summary, &draft.draft_id, caller)
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
        return Err(Rejection::NothingChanges {
            id: goal.id.clone(),
        });
    }
    Ok(change)
}

/// A change of the contract.
pub fn tweaked(
    id: &GoalId,
    change: &ContractChange,
    summary: &str,
    draft: Option<&str>,
) -> Happening {
    let payload = GoalTweaked {
        change_summary: summary.to_owned(),
        contract: change.clone(),
        draft_id: draft.map(str::to_owned),
        imported: None,
    };
    Happening::to(id, payload)
}

/// The tweak of the goal that the user has opened.
fn opened<'a>(state: &'a State, goal: &Goal) -> Option<&'a Draft> {
    let of_goal = |draft: &&Draft| draft.intent && draft.goal_id.as_ref() == Some(&goal.id);
    state.drafts.open().iter().find(of_goal)
}
