//! What somebody wants to happen about cost, before anybody decided whether it may.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::cost::limits::{Limit, Limits};

/// A command on the cost of one goal.
#[derive(Debug, Clone, PartialEq)]
pub enum CostCommand {
    /// Records what something cost.
    Add(Usage),
    /// Sets these limits and takes those away; others stay.
    Budget { set: Limits, clear: BTreeSet<Limit> },
    /// Pauses the goal if it is over its budget: what acts on it next asks for this first.
    Enforce,
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

/// What something cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// By name; names are free.
    pub counters: BTreeMap<String, f64>,
    pub model: Option<String>,
    /// The task that it was spent on.
    pub task: Option<String>,
}
