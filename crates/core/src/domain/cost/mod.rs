//! What work costs: usage, its totals, and the limits that the user sets.

pub mod amount;
pub mod budget;
pub mod command;
pub mod state;
