//! What work costs: usage, its totals, and the limits that the user sets.

pub mod amount;
pub mod budget;
pub mod command;
pub mod effort;
pub mod limits;
pub mod reported;
pub mod state;
pub mod under_way;
