//! Deciding how goals come to be and how contracts change: directly by the user, or by a draft
//! that the user confirms.

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::decide::{Happening, adoption, must_be_open, said};
use crate::domain::event::Payload;
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::events::{
    DraftMode, DraftOutcome, DraftProposed, DraftResolved, DraftStarted, GoalCreated, GoalFocused,
    GoalTweaked, GoalUnfocused,
};
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// Decides a command that acts on no goal yet.
pub fn decide(
    state: &State,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    match command {
        Command::Set { goal_id, contract } => {
            Ok(create(state, goal_id, contract, None, "created by the user")?.to_vec())
        }
        Command::OpenDraft {
            draft_id,
            topic,
            mode,
        } => {
            let topic = said("topic", topic)?;
            let started = DraftStarted {
                draft_id: draft_id.clone(),
                topic,
                mode: *mode,
            };
            Ok(vec![Happening {
                goal_id: None,
                payload: started.into(),
            }])
        }
        Command::CancelDraft { draft } => {
            let draft = pick(state, draft.as_deref(), |_| true)?;
            Ok(vec![resolved(draft, DraftOutcome::Cancelled)])
        }
        Command::Propose {
            draft,
            fresh,
            mode,
            contract,
        } => propose(state, (draft.as_deref(), fresh), *mode, contract, caller),
        Command::Confirm { draft, goal_id } => confirm(state, draft.as_deref(), goal_id, caller),
        Command::Reject { draft } => {
            let draft = pick(state, draft.as_deref(), |draft| draft.proposal.is_some())?;
            proposal_of(draft)?;
            Ok(vec![resolved(draft, DraftOutcome::Rejected)])
        }
        Command::Unfocus { reason } => {
            if focused(state, caller.session.as_deref()).is_none() {
                return Err(Rejection::no_focus(state));
            }
            let unfocused = GoalUnfocused {
                reason: said("reason", reason)?,
            };
            Ok(vec![Happening {
                goal_id: None,
                payload: unfocused.into(),
            }])
        }
        _ => Ok(Vec::new()),
    }
}

/// Decides a change of `goal`'s contract, or the intent to make one.
pub fn decide_tweak(
    state: &State,
    goal: &Goal,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    match command {
        Command::OpenTweak { draft_id, topic } => {
            let topic = said("topic", topic)?;
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
    let of_goal = |draft: &&Draft| draft.intent && draft.goal_id.as_ref() == Some(&goal.id);
    let opened = state.drafts.open().iter().find(of_goal);
    let draft_id = opened.map_or(fresh, |draft| &draft.draft_id);
    let proposed = DraftProposed {
        draft_id: draft_id.to_owned(),
        contract: change.clone(),
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

fn propose(
    state: &State,
    (named, fresh): (Option<&str>, &str),
    mode: Option<DraftMode>,
    contract: &ContractChange,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    let intents = || {
        state
            .drafts
            .open()
            .iter()
            .filter(|d| d.intent && d.goal_id.is_none())
    };
    let draft = match named {
        Some(_) => Some(pick(state, named, |_| true)?),
        None if intents().count() > 1 => {
            let drafts = intents().map(|draft| draft.draft_id.clone()).collect();
            return Err(Rejection::AmbiguousDraft { drafts });
        }
        None => intents().next(),
    };
    if let Some((draft, id)) = draft.and_then(|draft| Some((draft, draft.goal_id.as_ref()?))) {
        return propose_for(state, (draft, id), mode, contract, caller);
    }
    let expected = draft.map_or(DraftMode::Regular, |draft| draft.mode);
    let proposed = mode.unwrap_or(match contract.sisyphus {
        Some(true) => DraftMode::Sisyphus,
        Some(false) => DraftMode::Regular,
        None => expected,
    });
    if proposed != expected {
        return Err(Rejection::ModeMismatch {
            draft: expected,
            proposal: proposed,
        });
    }
    check(contract)?;
    let contract = ContractChange {
        objective: Some(objective(contract)?),
        sisyphus: Some(proposed == DraftMode::Sisyphus),
        ..contract.clone()
    };
    let draft_id = draft.map_or_else(|| fresh.to_owned(), |draft| draft.draft_id.clone());
    Ok(vec![Happening {
        goal_id: None,
        payload: DraftProposed { draft_id, contract }.into(),
    }])
}

/// A proposal that names the draft of a tweak is that tweak; its flags are part of the change,
/// not a mode.
fn propose_for(
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

fn confirm(
    state: &State,
    named: Option<&str>,
    goal_id: &GoalId,
    caller: &Caller,
) -> Result<Vec<Happening>, Rejection> {
    let draft = pick(state, named, |draft| draft.proposal.is_some())?;
    let proposal = proposal_of(draft)?;
    let mut events = match &draft.goal_id {
        None => create(
            state,
            goal_id,
            proposal,
            Some(&draft.draft_id),
            "confirmed by the user",
        )?
        .to_vec(),
        Some(id) => {
            let goal = goal_of(state, id)?;
            let change = differing(proposal, goal)?;
            let summary = "proposed, and confirmed by the user";
            let mut events = adoption(goal, caller)?;
            events.push(tweaked(id, &change, summary, Some(&draft.draft_id)));
            events
        }
    };
    events.push(resolved(draft, DraftOutcome::Confirmed));
    Ok(events)
}

/// The open goal that a tweak is for.
fn goal_of<'a>(state: &'a State, id: &GoalId) -> Result<&'a Goal, Rejection> {
    let goal = state.goals.get(id);
    let goal = goal.ok_or_else(|| Rejection::UnknownGoal {
        selector: id.to_string(),
    })?;
    must_be_open(goal)?;
    Ok(goal)
}

/// What `change` would make different in the goal's contract.
fn differing(change: &ContractChange, goal: &Goal) -> Result<ContractChange, Rejection> {
    let change = change.differing(&goal.contract);
    check(&change)?;
    if change.is_empty() {
        return Err(Rejection::NothingChanges {
            id: goal.id.clone(),
        });
    }
    Ok(change)
}

/// The draft that is meant: the named one, or the only one that `fits`.
fn pick<'a>(
    state: &'a State,
    named: Option<&str>,
    fits: impl Fn(&Draft) -> bool,
) -> Result<&'a Draft, Rejection> {
    let open = state.drafts.open();
    if let Some(id) = named {
        let found = state.drafts.find(id);
        return found.ok_or_else(|| Rejection::NoDraft {
            draft: Some(id.to_owned()),
        });
    }
    let fitting: Vec<&Draft> = open.iter().filter(|draft| fits(draft)).collect();
    match (&fitting[..], open) {
        ([draft], _) => Ok(draft),
        ([], []) => Err(Rejection::NoDraft { draft: None }),
        ([], [draft, ..]) => Err(Rejection::NoProposal {
            draft: draft.draft_id.clone(),
        }),
        _ => Err(Rejection::AmbiguousDraft {
            drafts: fitting.iter().map(|draft| draft.draft_id.clone()).collect(),
        }),
    }
}

fn proposal_of(draft: &Draft) -> Result<&ContractChange, Rejection> {
    let missing = || Rejection::NoProposal {
        draft: draft.draft_id.clone(),
    };
    draft.proposal.as_ref().ok_or_else(missing)
}

fn create(
    state: &State,
    goal_id: &GoalId,
    contract: &ContractChange,
    draft: Option<&str>,
    reason: &str,
) -> Result<[Happening; 2], Rejection> {
    // A second creation would be ignored, and with it what the user wants.
    if let Some(taken) = state.goals.get(goal_id) {
        return Err(Rejection::Already {
            id: goal_id.clone(),
            status: taken.status,
        });
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
        draft_id: draft.map(str::to_owned),
        ..GoalCreated::default()
    };
    let focused = GoalFocused {
        reason: reason.to_owned(),
    };
    Ok([
        Happening::to(goal_id, created),
        Happening::to(goal_id, focused),
    ])
}

fn tweaked(id: &GoalId, change: &ContractChange, summary: &str, draft: Option<&str>) -> Happening {
    let payload = GoalTweaked {
        change_summary: summary.to_owned(),
        contract: change.clone(),
        draft_id: draft.map(str::to_owned),
        imported: None,
    };
    Happening::to(id, payload)
}

fn resolved(draft: &Draft, outcome: DraftOutcome) -> Happening {
    let payload: Payload = DraftResolved {
        draft_id: draft.draft_id.clone(),
        outcome,
    }
    .into();
    Happening {
        goal_id: draft.goal_id.clone(),
        payload,
    }
}

fn objective(contract: &ContractChange) -> Result<String, Rejection> {
    said(
        "objective",
        contract.objective.as_deref().unwrap_or_default(),
    )
}

/// What no contract may hold, whoever sets it.
fn check(contract: &ContractChange) -> Result<(), Rejection> {
    if contract
        .objective
        .as_deref()
        .is_some_and(|text| text.trim().is_empty())
    {
        return Err(Rejection::EmptyField { field: "objective" });
    }
    if contract
        .priority
        .is_some_and(|priority| !(0.0..=1.0).contains(&priority))
    {
        let problem = "is not from 0 to 1".to_owned();
        return Err(Rejection::InvalidField {
            field: "priority",
            problem,
        });
    }
    let bad = |name: &&String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        name.is_empty() || !name.chars().all(plain)
    };
    if let Some(name) = contract.checks.iter().flatten().find(bad) {
        let problem = format!("names `{name}`; a check is a name, its command is configured");
        return Err(Rejection::InvalidField {
            field: "checks",
            problem,
        });
    }
    Ok(())
}
