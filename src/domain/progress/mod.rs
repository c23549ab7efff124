//! Progress and cost: evaluations, escalations, usage, budgets.

pub mod events;
