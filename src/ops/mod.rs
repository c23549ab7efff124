//! One use case a file: typed request to outcome, which is the JSON data of its command.

pub mod call;
pub mod complete;
pub mod failure;
pub mod transacted;

pub mod lifecycle;
pub mod list;
pub mod log;
pub mod prompt;
pub mod set;
pub mod show;
pub mod status;

#[cfg(test)]
pub(crate) mod testing;
