//! Runs: a goal worked by the runner, without a person.

pub mod alike;
pub mod apply;
pub mod command;
pub mod due;
pub mod limited;
pub mod record;
pub mod state;
pub mod stop;
#[cfg(test)]
pub(in crate::domain) mod testing;
