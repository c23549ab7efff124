//! Which draft a caller means.

use crate::domain::actor::Caller;
use crate::domain::command::Command;
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::goal::draft::Draft;
use crate::domain::rejection::Rejection;
use crate::domain::select::{Candidates, meant};
use crate::domain::state::State;

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
    | Command::Reject { draft }
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
