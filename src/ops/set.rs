//! Creating a goal at once: the user's shortcut, without a draft.

use serde_json::json;

use crate::domain::command::Command;
use crate::domain::goal::contract::ContractChange;
use crate::ops::baseline::{Created, at_creation};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Transacted;

/// Creates a goal with this contract and focuses it, and takes its baseline where one is configured.
///
/// # Errors
/// An empty objective, a secret in the contract, or an agent as the caller.
pub fn set(call: &Call, contract: ContractChange) -> Result<Transacted, Failure> {
    let arguments = json!({ "contract": contract });
    let command = Command::Set {
        goal_id: call.fresh_goal_id(),
        contract: Box::new(contract),
    };
    let receipt = call.transact(command, arguments)?;
    let goals: Vec<_> = receipt.goal_id.iter().cloned().collect();
    let mut outcome = Transacted::from(receipt);
    let created = Created {
        goals: &goals,
        events: &outcome.events,
        repeated: outcome.repeated,
    };
    outcome.notices.extend(at_creation(call, created));
    Ok(outcome)
}
