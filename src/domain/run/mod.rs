//! Runs: a goal worked by the runner, without a person.

pub(in crate::domain) mod apply;
pub mod command;
pub mod state;
pub mod stop;
