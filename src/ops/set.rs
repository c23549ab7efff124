//! Creating a goal at once: the user's shortcut, without a draft.

use serde_json::{Value, json};

use crate::domain::command::{Command, Planned};
use crate::domain::cost::budget::Limits;
use crate::domain::decide::may_be_created;
use crate::domain::goal::contract::{Contract, ContractChange};
use crate::domain::goal::fields::strict;
use crate::domain::id::GoalId;
use crate::domain::select;
use crate::domain::task::spec::definitions;
use crate::ops::baseline::begun;
use crate::ops::call::Call;
use crate::ops::contracted::told_of_checks;
use crate::ops::failure::Failure;
use crate::ops::tasks;
use crate::ops::transacted::Transacted;

/// Creates a goal with this contract and focuses it, and takes its baseline where one is configured.
/// What the contract leaves out is taken over from an ended goal, where one is named. The limits are
/// its budget from the first line on.
///
/// # Errors
/// An empty objective, a secret in the contract, or an agent as the caller.
pub fn set(
    call: &Call,
    contract: ContractChange,
    like: Option<&str>,
    limits: Limits,
) -> Result<Transacted, Failure> {
    let mut arguments = json!({ "contract": contract });
    if !limits.0.is_empty() {
        arguments["limits"] = json!(limits.written());
    }
    let mut contract = contract;
    let mut ended = None;
    if let Some(named) = like {
        arguments["like"] = named.into();
        let (id, before) = ended_contract(call, named)?;
        contract = over(&before, &contract);
        ended = Some(id);
    }
    let checks = told_of_checks(call, contract.checks.as_ref());
    let command = Command::Set {
        goal_id: call.fresh_goal_id(),
        contract: Box::new(contract),
        like: ended,
        limits,
    };
    let recorded = call.request(command).key(arguments).run()?;
    let mut outcome: Transacted = begun(call, recorded);
    outcome.notices.extend(checks);
    Ok(outcome)
}

/// The contract of a goal that has ended.
fn ended_contract(call: &Call, named: &str) -> Result<(GoalId, Contract), Failure> {
    let snapshot = call.look()?;
    let goal = select::named(&snapshot.state, named)?;
    if goal.status.is_open() {
        let id = &goal.id;
        let message = format!("goal {id} is still open; --like is for one that has ended");
        let hint = format!("`goal focus {id}` goes on with it");
        return Err(Failure::usage(message, hint));
    }
    Ok((goal.id.clone(), goal.contract.clone()))
}

/// The contract with these changes made to it.
fn over(before: &Contract, change: &ContractChange) -> ContractChange {
    let mut contract = before.clone();
    if change.objective.is_some() {
        // It names the other work.
        contract.title = None;
    }
    contract.apply(change);
    ContractChange::of(&contract)
}

/// Creates a goal of each contract, in JSON, in one write: all of them, or none where one is
/// refused. The first is focused where nothing is.
///
/// # Errors
/// Those of [`set`]; a field that no contract has.
pub fn set_all(call: &Call, contracts: &[Value]) -> Result<Transacted, Failure> {
    let command = all_of(call, contracts)?;
    let arguments = json!({ "contracts": contracts });
    let recorded = call.request(command).key(arguments).run()?;
    Ok(begun(call, recorded))
}

/// The command that creates a goal of each contract.
///
/// # Errors
/// A field that no contract has.
pub fn all_of(call: &Call, contracts: &[Value]) -> Result<Command, Failure> {
    let planned = contracts
        .iter()
        .zip(1..)
        .map(|(contract, number): (_, u64)| {
            let of_item = |failure: Failure| Failure {
                message: format!("item {number} of the batch: {}", failure.message),
                ..failure
            };
            let contract = strict(contract)
                .map_err(|error| of_item(Failure::usage(error.to_string(), error.hint())))?;
            may_be_created(&contract).map_err(|error| of_item(error.into()))?;
            Ok(Planned {
                goal_id: call.fresh_goal_id(),
                contract,
                tasks: definitions(&[]),
            })
        });
    Ok(Command::Import {
        goals: planned.collect::<Result<_, Failure>>()?,
        limits: tasks::limits(call)?,
    })
}
