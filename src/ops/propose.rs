//! Proposing a contract, and the user's decision on it.

use serde_json::json;

use crate::domain::command::Command;
use crate::domain::decide::{decided_on, shown_at};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::fields::missing;
use crate::domain::id::EventId;
use crate::domain::rejection::Rejection;
use crate::ops::baseline::begun;
use crate::ops::call::Call;
use crate::ops::contracted::{Contracted, told_of_checks};
use crate::ops::failure::Failure;
use crate::ops::transacted::{Outcome, Transacted};

/// Proposes a contract: for the named draft, else for the session's own, else under a new one.
/// The mode is the draft's unless `sisyphus` or the contract says another, which is refused.
/// What a contract for a new goal should say and does not is among the notices.
///
/// # Errors
/// No objective, no such draft, another session's proposal that waits under it, another mode than
/// the draft's, a secret in the contract.
pub fn propose(
    call: &Call,
    draft: Option<&str>,
    sisyphus: bool,
    contract: ContractChange,
) -> Result<Outcome<Contracted>, Failure> {
    let mode = sisyphus.then_some(DraftMode::Sisyphus);
    let arguments = json!({ "draft": draft, "mode": mode, "contract": contract });
    let command = Command::Propose {
        draft: draft.map(str::to_owned),
        fresh: call.fresh_id(),
        mode,
        contract: Box::new(contract),
    };
    let mut outcome: Outcome<Contracted> = call.request(command).key(arguments).run()?.into();
    if outcome.data.mode != DraftMode::Tweak {
        outcome.notices.extend(incomplete(&outcome.data.proposal));
    }
    let checks = outcome.data.proposal.checks.as_ref();
    outcome.notices.extend(told_of_checks(call, checks));
    Ok(outcome)
}

/// Only objective and mode are required; what else a good contract says is worth a word.
fn incomplete(contract: &ContractChange) -> Option<Diagnostic> {
    let missing: Vec<&str> = missing(contract).iter().map(|field| field.label).collect();
    (!missing.is_empty()).then(|| {
        Diagnostic::new(
            Code::ContractIncomplete,
            format!("missing: {}", missing.join(", ")),
            "propose again with them, or leave it as it is: the user decides",
        )
    })
}

/// Accepts the proposal of the named draft: creates the goal and focuses it, or changes the
/// contract. Where it was proposed for more than once, the call expects the revision that was read.
///
/// # Errors
/// No draft or no revision is named, nothing is proposed, or the caller is an agent.
pub fn confirm(call: &Call, draft: Option<&str>) -> Result<Outcome<Contracted>, Failure> {
    let arguments = json!({ "draft": draft });
    let request = call.request(confirmation(call, draft));
    Ok(begun(call, request.key(arguments).run()?))
}

/// The draft that the user is to be asked about before [`confirm`], with its revision: the named
/// one, else the only one with a proposal.
///
/// # Errors
/// Those of [`confirm`], but for names that are missing.
pub fn to_confirm(call: &Call, draft: Option<&str>) -> Result<(EventId, Draft), Failure> {
    let snapshot = call.read()?;
    let found = decided_on(&snapshot.state, &confirmation(call, draft)).cloned();
    let Some(found) = found.filter(|draft| draft.proposal.is_some()) else {
        // The rule knows what is wrong.
        call.request(confirmation(call, draft)).check()?;
        return Err(Rejection::NoDraft { draft: None }.into());
    };
    let revision = snapshot.id(shown_at(&snapshot.state, &found))?;
    let command = Command::Confirm {
        draft: Some(found.draft_id.clone()),
        expects: true,
        goal_id: call.fresh_goal_id(),
    };
    call.request(command).check()?;
    Ok((revision, found))
}

fn confirmation(call: &Call, draft: Option<&str>) -> Command {
    Command::Confirm {
        draft: draft.map(str::to_owned),
        expects: call.expect.is_some(),
        goal_id: call.fresh_goal_id(),
    }
}

/// Declines a proposal; a reason is told to whoever proposes next. Whether its draft is still open: one that the user opened stays for another
/// proposal, an agent's own is closed with it.
///
/// # Errors
/// Nothing is proposed, several proposals wait, or the caller is an agent.
pub fn reject(
    call: &Call,
    draft: Option<&str>,
    reason: Option<&str>,
) -> Result<(Transacted, bool), Failure> {
    let command = Command::Reject {
        draft: draft.map(str::to_owned),
        reason: reason.map(str::to_owned),
    };
    let mut arguments = json!({ "draft": draft });
    if let Some(reason) = reason {
        arguments["reason"] = reason.into();
    }
    let recorded = call.request(command).key(arguments).run()?;
    let draft = recorded.0.draft_id();
    let is_open = draft.is_some_and(|id| recorded.1.state.drafts.find(&id).is_some());
    Ok((recorded.into(), is_open))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_contract_is_named_and_a_full_one_is_not() {
        let thin = incomplete(&ContractChange::default()).unwrap();
        assert_eq!(
            thin.message,
            "missing: success criteria, boundaries, constraints, if blocked, verification contract"
        );
        let list = || Some(vec!["x".to_owned()]);
        let text = || Some("x".to_owned());
        let full = ContractChange {
            success_criteria: list(),
            boundaries: list(),
            constraints: list(),
            if_blocked: text(),
            verification_contract: text(),
            ..ContractChange::default()
        };
        assert_eq!(incomplete(&full), None);
    }
}
