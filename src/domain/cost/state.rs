//! What a goal's events say that it cost: sums only, never the events themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::cost::budget::Limits;
use crate::domain::forms;

/// Sums by the name of their counter.
pub type Totals = BTreeMap<String, Amount>;

/// Model calls.
pub const LLM_CALLS: &str = "llmCalls";
/// Tokens that went to models.
pub const TOKENS_IN: &str = "tokensIn";
/// Tokens that came from models.
pub const TOKENS_OUT: &str = "tokensOut";
/// Money, in US dollars.
pub const COST_USD: &str = "costUsd";
/// Time that somebody worked, in seconds; what a runner records of its agents and checks.
pub const SECONDS: &str = "seconds";

/// What one goal cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The limits that the user set last.
    pub limits: Limits,
    /// Everything.
    pub total: Totals,
    /// By the task that was named; without one under nothing.
    #[serde(with = "forms::pairs")]
    pub tasks: BTreeMap<Option<String>, Totals>,
    /// By the goal's owner at that time.
    #[serde(with = "forms::pairs")]
    pub owners: BTreeMap<Option<String>, Totals>,
    /// By day in UTC, `2026-11-21`; what has no time under nothing.
    #[serde(with = "forms::pairs")]
    pub days: BTreeMap<Option<String>, Totals>,
}

/// Adds counters to sums. What is no amount counts nothing.
pub fn add(totals: &mut Totals, counters: &BTreeMap<String, f64>) {
    for (name, number) in counters {
        if let Some(amount) = Amount::of(*number) {
            *totals.entry(name.clone()).or_default() += amount;
        }
    }
}

/// Adds sums to sums.
pub fn merge(totals: &mut Totals, others: &Totals) {
    for (name, amount) in others {
        *totals.entry(name.clone()).or_default() += *amount;
    }
}
