//! Deciding what becomes of drafts: intents, proposals, and the user's decision on them; and what
//! else acts on no goal yet. Whose a draft is stands in [`Drafts::own`].
//!
//! [`Drafts::own`]: crate::domain::goal::draft::Drafts::own
//!
//! Which draft a caller means.

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::decide::completion::may_withdraw;
use crate::domain::decide::creation::{self, Origin, check, create, objective};
use crate::domain::decide::delegation::hand_on;
use crate::domain::decide::tweaks::{differing, goal_of, propose_for, tweaked};
use crate::domain::decide::{PendingEvent, adoption, require_text};
use crate::domain::event::draft::{DraftMode, DraftOutcome};
use crate::domain::event::{
    BudgetSet, DraftProposed, DraftResolved, DraftStarted, EvidenceAdded, GoalUnfocused,
};
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::{Draft, known};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, is_part, meant};
use crate::domain::state::State;

/// Decides a command that acts on no goal yet.
pub fn decide(
    state: &State,
    command: &Command,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    match command {
        Command::Set {
            goal_id,
            contract,
            like,
            limits,
        } => {
            let origin = Origin {
                like: like.as_ref(),
                ..Origin::default()
            };
            let reason = "created by the user";
            let mut events = create(state, goal_id, contract, (origin, caller), reason)?.to_vec();
            if !limits.0.is_empty() {
                let limits = limits.written();
                events.push(PendingEvent::to(goal_id, BudgetSet { limits }));
            }
            Ok(events)
        }
        Command::Import { goals, limits } => creation::decide_import(state, goals, limits, caller),
        Command::OpenDraft(draft) => {
            let started = DraftStarted {
                topic: require_text("topic", &draft.topic)?,
                ..draft.clone()
            };
            Ok(vec![PendingEvent::about_no_goal(started)])
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
        Command::Confirm {
            draft,
            expects,
            goal_id,
        } => {
            let shown = shown(state, draft.as_deref(), *expects)?;
            confirm(state, shown, goal_id, caller)
        }
        Command::Reject { draft, reason } => {
            let (draft, _) = proposed(state, draft.as_deref())?;
            let reason = reason.as_deref().map(|it| require_text("reason", it));
            let rejected = DraftResolved {
                reason: reason.transpose()?,
                ..resolution(draft, DraftOutcome::Rejected)
            };
            Ok(vec![about(draft, rejected)])
        }
        Command::Withdraw { draft } => {
            let named = Some(draft.as_str()).filter(|id| state.drafts.find(id).is_some());
            let missing = || Rejection::NothingToWithdraw { id: draft.clone() };
            let (draft, _) = proposed(state, Some(named.ok_or_else(missing)?))?;
            may_withdraw(caller, draft.proposed_by, draft.session.as_deref())?;
            Ok(vec![resolved(draft, DraftOutcome::Rejected)])
        }
        Command::Unfocus(unfocus) => {
            if focused(state, caller.session.as_deref()).is_none() {
                return Err(Rejection::no_focus(state));
            }
            let unfocused = GoalUnfocused {
                reason: require_text("reason", &unfocus.reason)?,
            };
            Ok(vec![PendingEvent::about_no_goal(unfocused)])
        }
        _ => Ok(Vec::new()),
    }
}

fn propose(
    state: &State,
    (draft, fresh): (Option<&str>, &str),
    mode: Option<DraftMode>,
    contract: &ContractChange,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let asked = mode.or(contract.sisyphus.map(|sisyphus| match sisyphus {
        true => DraftMode::Sisyphus,
        false => DraftMode::Regular,
    }));
    let draft = match draft {
        Some(id) => Some(named(state, id, caller)?),
        None => state.drafts.own(caller, None, asked),
    };
    if let Some((draft, id)) = draft.and_then(|draft| Some((draft, draft.goal_id.as_ref()?))) {
        return propose_for(state, (draft, id), mode, contract, caller);
    }
    let expected = draft.map_or(DraftMode::Regular, |draft| draft.mode);
    let proposed = asked.unwrap_or(expected);
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
        // What is to be handed on stays so, to whom it was, unless the new proposal says whom.
        owner: contract.owner.clone().or_else(|| handed_to(draft?)),
        ..contract.clone()
    };
    let draft_id = draft.map_or_else(|| fresh.to_owned(), |draft| draft.draft_id.clone());
    let proposed = DraftProposed {
        draft_id,
        contract,
        parent_goal_id: draft.and_then(|draft| draft.parent_goal_id.clone()),
        ..DraftProposed::default()
    };
    Ok(vec![PendingEvent::about_no_goal(proposed)])
}

fn confirm(
    state: &State,
    (draft, proposal): Proposed<'_>,
    goal_id: &GoalId,
    caller: &Caller,
) -> Result<Vec<PendingEvent>, Rejection> {
    let parent = draft.parent_goal_id.as_ref();
    let parent = parent.map(|id| goal_of(state, id)).transpose()?;
    let mut events = match (&draft.goal_id, parent) {
        (None, Some(parent)) => {
            let named = Some(&*draft.draft_id);
            hand_on(state, parent, (goal_id, proposal), named, caller)?
        }
        (None, None) => {
            let origin = Origin {
                draft: Some(&draft.draft_id),
                ..Origin::default()
            };
            let reason = "confirmed by the user";
            create(state, goal_id, proposal, (origin, caller), reason)?.to_vec()
        }
        (Some(id), _) => {
            let goal = goal_of(state, id)?;
            let change = differing(proposal, goal)?;
            let summary = draft.summary.as_deref();
            let summary = summary.unwrap_or("proposed, and confirmed by the user");
            let mut events = adoption(goal, caller)?;
            events.push(tweaked(id, &change, summary, Some(&draft.draft_id)));
            events
        }
    };
    if draft.goal_id.is_none() {
        events.extend(given(goal_id, draft));
    }
    events.push(resolved(draft, DraftOutcome::Confirmed));
    Ok(events)
}

/// What was known of the goal when it was proposed: evidence of it now, which the user was shown
/// with the proposal.
fn given(goal_id: &GoalId, draft: &Draft) -> impl Iterator<Item = PendingEvent> {
    known(&draft.context).map(|(key, value)| {
        let added = EvidenceAdded {
            key,
            value: value.clone(),
            source: Some("interpreter".to_owned()),
            task_id: None,
        };
        PendingEvent::to(goal_id, added)
    })
}

/// The draft that the user confirms, of which it is certain that they saw what they confirm: they
/// name its id, and where it was proposed for more than once, the revision that they were shown. Words
/// of its title could be those of another draft by now.
fn shown<'a>(
    state: &'a State,
    named: Option<&str>,
    expects: bool,
) -> Result<Proposed<'a>, Rejection> {
    let (draft, proposal) = proposed(state, named)?;
    let by_id = named.is_some_and(|named| is_part(named, &draft.draft_id));
    let is_certain = by_id || named.is_some() && expects;
    if !is_certain {
        return Err(Rejection::DraftRequired {
            drafts: Candidates::drafts(&[draft]),
        });
    }
    if draft.proposals > 1 && !expects {
        return Err(Rejection::ExpectRequired {
            draft: draft.draft_id.clone(),
            proposals: draft.proposals,
        });
    }
    Ok((draft, proposal))
}

/// The draft that the user decides on by this command; nothing for a command that decides on none,
/// and where `decide` will refuse.
pub fn decided_on<'a>(state: &'a State, command: &Command) -> Option<&'a Draft> {
    match command {
        Command::Confirm { draft, .. } | Command::Reject { draft, .. } => {
            pick(state, draft.as_deref(), |draft| draft.proposal.is_some()).ok()
        }
        _ => None,
    }
}

/// The latest line that may have changed what the user reads of a proposal: one about the draft, or one in
/// which they agreed to something of the goal that it would change, since it is shown as a change of that
/// contract. Its id is the revision of the proposal.
pub fn shown_at(state: &State, draft: &Draft) -> LineRef {
    let goal = draft.goal_id.as_ref().and_then(|id| state.goals.get(id));
    let agreed = goal.and_then(|goal| goal.consents.last());
    agreed.map_or(draft.latest, |line| draft.latest.max(*line))
}

/// A draft, and what is proposed for it.
type Proposed<'a> = (&'a Draft, &'a ContractChange);

/// The draft that is decided on: the named one, or the only one with a proposal.
fn proposed<'a>(state: &'a State, named: Option<&str>) -> Result<Proposed<'a>, Rejection> {
    let draft = pick(state, named, |draft| draft.proposal.is_some())?;
    let missing = || Rejection::NoProposal {
        draft: draft.draft_id.clone(),
    };
    Ok((draft, draft.proposal.as_ref().ok_or_else(missing)?))
}

/// The decision on a draft.
pub fn resolved(draft: &Draft, outcome: DraftOutcome) -> PendingEvent {
    about(draft, resolution(draft, outcome))
}

fn resolution(draft: &Draft, outcome: DraftOutcome) -> DraftResolved {
    DraftResolved {
        draft_id: draft.draft_id.clone(),
        outcome,
        reason: None,
    }
}

fn about(draft: &Draft, resolved: DraftResolved) -> PendingEvent {
    PendingEvent {
        goal_id: draft.goal_id.clone(),
        ..PendingEvent::about_no_goal(resolved)
    }
}

/// To whom a draft that is a delegation hands its goal on.
fn handed_to(draft: &Draft) -> Option<String> {
    draft.parent_goal_id.as_ref()?;
    draft.proposal.as_ref()?.owner.clone()
}

/// The draft that a proposal names. What another session has proposed and the user has not decided
/// on yet is not replaced, except by the user.
pub fn named<'a>(state: &'a State, id: &str, caller: &Caller) -> Result<&'a Draft, Rejection> {
    // By its id alone: words of its title could name another one by the time an agent proposes.
    let draft = state.drafts.find(id);
    let draft = draft.ok_or_else(|| Rejection::NoDraft {
        draft: Some(id.to_owned()),
    })?;
    let of_another = draft.proposal.is_some() && !caller.works_in(draft.session.as_deref());
    if of_another && !acts_for_user(caller) {
        return Err(Rejection::ProposalWaits {
            draft: draft.draft_id.clone(),
        });
    }
    Ok(draft)
}

/// The text by which a command of the user names a draft, and that draft.
pub fn of_command<'a, 'c>(state: &'a State, command: &'c Command) -> Option<(&'c str, &'a Draft)> {
    let (Command::Confirm { draft, .. }
    | Command::Reject { draft, .. }
    | Command::CancelDraft { draft }) = command
    else {
        return None;
    };
    let text = draft.as_deref()?;
    Some((text, pick(state, Some(text), |_| true).ok()?))
}

/// The draft that is meant: the named one, or the only one that `fits`.
pub fn pick<'a>(
    state: &'a State,
    named: Option<&str>,
    fits: impl Fn(&Draft) -> bool,
) -> Result<&'a Draft, Rejection> {
    if let Some(text) = named {
        if let Some(found) = state.drafts.find(text) {
            return Ok(found);
        }
        let title = |draft: &Draft| draft.about().to_owned();
        let found = meant(text, state.drafts.open(), |it| it.draft_id.clone(), title);
        return match &found[..] {
            [draft] => Ok(draft),
            [] => Err(Rejection::NoDraft {
                draft: Some(text.to_owned()),
            }),
            _ => Err(Rejection::AmbiguousDraft {
                drafts: Candidates::drafts(&found),
            }),
        };
    }
    let open = state.drafts.open();
    let fitting: Vec<&Draft> = open.filter(|draft| fits(draft)).collect();
    match (&fitting[..], state.drafts.open().next()) {
        ([draft], _) => Ok(draft),
        ([], None) => Err(Rejection::NoDraft { draft: None }),
        ([], Some(draft)) => Err(Rejection::NoProposal {
            draft: draft.draft_id.clone(),
        }),
        _ => Err(Rejection::AmbiguousDraft {
            drafts: Candidates::drafts(&fitting),
        }),
    }
}
