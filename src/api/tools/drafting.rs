//! The tools about contracts: what an agent proposes, and what only the user can do.

use crate::api::tools::arguments::{Anything, Delegation, Mode, Proposal, Tweak};
use crate::api::tools::host::assert_goal;
use crate::api::tools::told::{ToolAnswer, transacted};
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::failure::Failure;
use crate::ops::transacted::Outcome;
use crate::ops::{delegate as delegating, propose as proposing, tweak as tweaking};
use crate::render::text::clean;

pub(super) fn create(call: &Call, _: Anything) -> Result<ToolAnswer, Failure> {
    call.refuse_auditor()?;
    Err(Failure::new(
        "human_owned",
        "only the user creates a goal, never an agent",
        "propose its contract with `propose_goal_draft` and show it to the user, who creates it with \
         `goal confirm`; or they create one at once with `goal set OBJECTIVE`",
    ))
}

pub(super) fn propose(call: &Call, proposal: Proposal) -> Result<ToolAnswer, Failure> {
    assert_goal(call)?;
    let mut contract = proposal.contract;
    contract.sisyphus = proposal.mode.map(|mode| mode == Mode::Sisyphus);
    let draft = proposal.draft_id.as_deref();
    let outcome = proposing::propose(call, draft, contract.sisyphus == Some(true), contract)?;
    let text = waiting("a new goal", &outcome);
    transacted(outcome, text)
}

pub(super) fn tweak(call: &Call, tweak: Tweak) -> Result<ToolAnswer, Failure> {
    let (draft, summary) = (tweak.draft_id.as_deref(), tweak.change_summary.as_deref());
    let outcome = tweaking::tweak(call, tweak.contract, summary, draft)?;
    let text = waiting("a change of the contract", &outcome);
    transacted(outcome, text)
}

pub(super) fn delegate(call: &Call, asked: Delegation) -> Result<ToolAnswer, Failure> {
    let outcome = delegating::delegate(call, &asked.to, asked.contract)?;
    let text = waiting("to hand a part of the goal on", &outcome);
    transacted(outcome, text)
}

/// What is said of a proposal, which is never in force yet.
fn waiting(what: &str, outcome: &Outcome<Contracted>) -> String {
    let draft = clean(outcome.data.draft_id.as_deref().unwrap_or_default());
    format!(
        "Proposed {what} (draft {draft}). Nothing is in force yet: show the user the whole \
         proposal and wait. They accept it with `goal confirm {draft}`, or decline it with `goal \
         reject {draft}`."
    )
}
