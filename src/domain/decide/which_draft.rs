//! Which draft a caller means.

use crate::domain::actor::Caller;
use crate::domain::candidates::Candidates;
use crate::domain::decide::authorise::acts_for_user;
use crate::domain::goal::draft::Draft;
use crate::domain::rejection::Rejection;
use crate::domain::state::State;

/// The draft that a proposal names. What another session has proposed and the user has not decided
/// on yet is not replaced, except by the user.
pub fn named<'a>(state: &'a State, id: &str, caller: &Caller) -> Result<&'a Draft, Rejection> {
    let draft = pick(state, Some(id), |_| true)?;
    let of_another = draft.proposal.is_some() && !caller.works_in(draft.session.as_deref());
    if of_another && !acts_for_user(caller) {
        return Err(Rejection::ProposalWaits {
            draft: draft.draft_id.clone(),
        });
    }
    Ok(draft)
}

/// The draft that is meant: the named one, or the only one that `fits`.
pub fn pick<'a>(
    state: &'a State,
    named: Option<&str>,
    fits: impl Fn(&Draft) -> bool,
) -> Result<&'a Draft, Rejection> {
    if let Some(id) = named {
        let found = state.drafts.find(id);
        return found.ok_or_else(|| Rejection::NoDraft {
            draft: Some(id.to_owned()),
        });
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
