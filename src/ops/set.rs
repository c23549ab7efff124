//! Creating a goal at once: the user's shortcut, without a draft.

use serde_json::{Value, json};

use crate::domain::command::{Command, Planned};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::fields::strict;
use crate::domain::task::given::definitions;
use crate::ops::baseline::begun;
use crate::ops::call::Call;
use crate::ops::contracted::told_of_checks;
use crate::ops::failure::Failure;
use crate::ops::tasks;
use crate::ops::transacted::Transacted;

/// Creates a goal with this contract and focuses it, and takes its baseline where one is configured.
///
/// # Errors
/// An empty objective, a secret in the contract, or an agent as the caller.
pub fn set(call: &Call, contract: ContractChange) -> Result<Transacted, Failure> {
    let arguments = json!({ "contract": contract });
    let checks = told_of_checks(call, contract.checks.as_ref());
    let command = Command::Set {
        goal_id: call.fresh_goal_id(),
        contract: Box::new(contract),
    };
    let recorded = call.request(command).key(arguments).run()?;
    call.note_use();
    let mut outcome: Transacted = begun(call, recorded);
    outcome.notices.extend(checks);
    Ok(outcome)
}

/// Creates a goal of each contract, in JSON, in one write: all of them, or none where one is
/// refused. The first is focused where nothing is.
///
/// # Errors
/// Those of [`set`]; a field that no contract has.
pub fn set_all(call: &Call, contracts: &[Value]) -> Result<Transacted, Failure> {
    let planned = contracts
        .iter()
        .zip(1..)
        .map(|(contract, number): (_, u64)| {
            let contract = strict(contract).map_err(|error| {
                let message = format!("item {number} of the batch: {error}");
                Failure::usage(message, error.hint())
            })?;
            Ok(Planned {
                goal_id: call.fresh_goal_id(),
                contract,
                tasks: definitions(&[]),
            })
        });
    let command = Command::Import {
        goals: planned.collect::<Result<_, Failure>>()?,
        limits: tasks::limits(call)?,
    };
    let arguments = json!({ "contracts": contracts });
    let recorded = call.request(command).key(arguments).run()?;
    call.note_use();
    Ok(begun(call, recorded))
}
