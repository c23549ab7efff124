//! Whose word a prompt says that a goal and its contract are.

use crate::domain::actor::Actor;
use crate::domain::goal::state::{Goal, Keeper};
use crate::domain::verdict::defang;
use crate::render::acted::acted;

/// Who says that it is a goal: nobody has confirmed here what another tool keeps.
pub(super) fn origin(goal: &Goal) -> &'static str {
    match goal.keeper {
        Keeper::Ours => "The user confirmed",
        Keeper::Theirs => "Read only until the user adopts it: another tool recorded",
        Keeper::Lost => "Read only until the ledger is back: a document tells of",
    }
}

/// Who agreed to the contract.
pub(super) fn contract(goal: &Goal) -> &'static str {
    match goal.keeper {
        _ if goal.has_contract_of_ours() => "The contract as the user confirmed it",
        Keeper::Lost => "The contract as the goal's document says it, since the ledger is missing",
        Keeper::Ours | Keeper::Theirs => {
            "The contract as another tool recorded it; the user has not confirmed it here"
        }
    }
}

/// That the contract, or a change of it, was agreed to through an agent's host; empty where it was
/// not.
pub(super) fn agreed(goal: &Goal) -> String {
    let Some(it) = &goal.agreed_through else {
        return String::new();
    };
    let user = acted(Actor::User, Some(&it.via));
    let user = defang(&user);
    format!(
        "The contract, or a change of it, was confirmed by the {user}: an agent's host passed that \
         on, and it was not typed in a terminal of the user's own."
    )
}
