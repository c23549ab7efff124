//! What work costs: usage, its totals, and the limits that the user sets.
//!
//! What somebody wants to happen about cost, before anybody decided whether it may.

pub mod amount;
pub mod budget;
pub mod state;

use std::collections::BTreeSet;

use crate::domain::cost::budget::{Limit, Limits};
use crate::domain::event::UsageRecorded;

/// A command on the cost of one goal.
#[derive(Debug, Clone, PartialEq)]
pub enum CostCommand {
    /// Records what something cost.
    Add(UsageRecorded),
    /// Sets these limits and takes those away; others stay.
    Budget { set: Limits, clear: BTreeSet<Limit> },
    /// Pauses the goal if it is over its budget: what acts on it next asks for this first.
    Enforce,
}

/// The longest name of a counter or a model, in bytes.
pub(in crate::domain) const LONGEST: usize = 100;

/// Whether this can be the name of a model.
pub fn is_model(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= LONGEST && !name.chars().any(char::is_control)
}

impl CostCommand {
    /// The word by which messages call it.
    pub fn name(&self) -> &'static str {
        match self {
            CostCommand::Add(_) => "usage add",
            CostCommand::Budget { .. } => "budget",
            CostCommand::Enforce => "hold to the budget",
        }
    }
}
