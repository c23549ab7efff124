//! One use case a file: typed request to outcome, which is the JSON data of its command.

pub mod call;
pub mod complete;
pub mod failure;
pub mod transacted;

pub mod lifecycle;
pub mod prompt;
pub mod set;
pub mod summary;
pub mod tour;
