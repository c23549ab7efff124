//! Runs: a goal worked by the runner, without a person.

pub mod alike;
pub(in crate::domain) mod apply;
pub mod command;
pub mod due;
pub mod state;
pub mod stop;
#[cfg(test)]
pub(in crate::domain) mod testing;
