//! Handing a part of a goal on to an owner, and who owes what to whom.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::domain::command::Command;
use crate::domain::goal::contract::ContractChange;
use crate::ops::baseline::begun;
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::render::view::Commitment;

/// What is owed, in order of creation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commitments {
    pub commitments: Vec<Commitment>,
}

/// Creates a child of the goal that `to` owns, for the user at once, for an agent as a proposal.
///
/// # Errors
/// The goal is closed, the contract makes no sense, or the owner has no place free that it gets.
pub fn delegate(
    call: &Call,
    to: &str,
    contract: ContractChange,
) -> Result<Outcome<Contracted>, Failure> {
    let arguments = json!({ "to": to, "contract": contract, "goal": call.goal });
    let command = Command::Delegate {
        goal_id: call.fresh_goal_id(),
        draft_id: call.fresh_id(),
        to: to.to_owned(),
        contract: Box::new(contract),
    };
    let recorded = call.request(command).key(arguments).run()?;
    Ok(begun(call, recorded))
}

/// Who owes what to whom: the open goals that were handed on, or with `all` the ended ones too.
pub fn commitments(call: &Call, all: bool) -> Result<Commitments, Failure> {
    let state = &call.look()?.state;
    let goals = state.in_order().into_iter();
    let wanted = goals.filter(|goal| all || goal.status.is_open());
    Ok(Commitments {
        commitments: wanted.filter_map(|it| Commitment::of(state, it)).collect(),
    })
}
