//! Creating a goal at once: the user's shortcut, without a draft.

use serde_json::{Value, json};

use crate::domain::command::{Command, Planned};
use crate::domain::event::Payload;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::fields::strict;
use crate::domain::id::GoalId;
use crate::domain::task::given::definitions;
use crate::ops::baseline::{Created, at_creation};
use crate::ops::call::Call;
use crate::ops::contracted::told_of_checks;
use crate::ops::failure::Failure;
use crate::ops::tasks;
use crate::ops::transacted::{Besides, Outcome, Transacted};
use crate::transaction::Recorded;

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
    let mut outcome = with_baselines(call, recorded);
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
    let recorded = call
        .request(command)
        .key(json!({ "contracts": contracts }))
        .run()?;
    call.note_use();
    Ok(with_baselines(call, recorded))
}

/// Takes the baselines of the goals that were created, where one is configured.
fn with_baselines(call: &Call, (receipt, now): Recorded) -> Transacted {
    let events = receipt.events.iter();
    let goals: Vec<GoalId> = events
        .filter(|event| matches!(event.payload, Payload::GoalCreated(_)))
        .filter_map(|event| event.goal_id.clone())
        .collect();
    let data = Besides::from(&receipt);
    let mut outcome = Outcome::of(receipt, data);
    let created = Created {
        goals: &goals,
        events: &outcome.events,
        repeated: outcome.repeated,
        now: &now,
    };
    outcome.notices.extend(at_creation(call, created));
    outcome
}
