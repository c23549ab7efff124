//! What a goal's progress suggests. Advice only: nothing here changes a status.
//!
//! | the first row that fits | advice |
//! |---|---|
//! | nothing was evaluated yet | nothing |
//! | the latest score ≥ 0.95 | completion |
//! | escalations are spent, the latest score leaps, and there is a harder tier | upgrade |
//! | escalations are spent, and the runway is there to be granted | runway |
//! | escalations are spent | abandonment |
//! | it was escalated since the latest evaluation | nothing |
//! | the latest evaluation calls for an escalation | escalation |
//! | returns diminish | escalation |
//! | else | nothing |
//!
//! Under `abandon = "auto"` the program follows the advice of abandonment ([`gives_up`]), but not in
//! the write that finds the escalations spent: there the latest score is not above the one before,
//! so neither upgrade nor runway could be granted. An evaluation after it decides.
//!
//! Upgrade and runway are granted with the evaluation or the escalation that finds the escalations
//! spent, one of them in one write: [`grant`]. Later advice shows only what is still to be
//! granted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::{DifficultyUpgraded, Payload, RunwayGranted};
use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::escalation::upgrade;
use crate::domain::progress::state::Progress;

/// What progress suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Advice {
    Nothing,
    /// Ask for completion; the gate decides.
    SuggestCompletion,
    /// Escalate, since the evaluation calls for it or returns diminish.
    SuggestEscalation,
    /// The goal is one tier harder than it was taken to be.
    Upgrade,
    /// One more escalation.
    Runway,
    /// Give the goal up: the user's to do, unless the configuration says `abandon = "auto"`.
    SuggestAbandonment,
}

/// The advice for a goal with this progress and this difficulty in its contract.
pub fn advice(progress: &Progress, contract: Option<Difficulty>) -> Advice {
    let history = &progress.history;
    let Some(latest) = &progress.latest else {
        return Advice::Nothing;
    };
    let tier = progress.tier(contract);
    if history.is_candidate() {
        Advice::SuggestCompletion
    } else if progress.escalations.are_spent(tier, progress.runway) {
        if upgrade(tier, history).is_some() {
            Advice::Upgrade
        } else if !progress.runway && history.gets_runway() {
            Advice::Runway
        } else {
            Advice::SuggestAbandonment
        }
    } else if progress.escalations.waiting() > 0 {
        Advice::Nothing
    } else if latest.should_escalate || history.is_diminishing() {
        Advice::SuggestEscalation
    } else {
        Advice::Nothing
    }
}

/// Whether the program may give the goal up, where the configuration lets it: the latest evaluation
/// could have granted something, and did not.
pub fn gives_up(progress: &Progress, contract: Option<Difficulty>) -> bool {
    advice(progress, contract) == Advice::SuggestAbandonment && !progress.unsettled
}

/// The event that grants the advised upgrade or runway; `None` for other advice.
pub fn grant(progress: &Progress, contract: Option<Difficulty>) -> Option<Payload> {
    let from = progress.tier(contract);
    match advice(progress, contract) {
        Advice::Upgrade => {
            let to = upgrade(from, &progress.history)?;
            Some(DifficultyUpgraded { from, to }.into())
        }
        Advice::Runway => Some(RunwayGranted {}.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
