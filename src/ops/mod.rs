//! One use case a file: typed request to outcome, which is the JSON data of its command.

pub mod auditor_test;
pub mod call;
pub mod complete;
pub mod config;
pub mod contracted;
pub mod doctor;
pub mod draft;
pub mod drafts;
pub mod failure;
pub mod findings;
pub mod init;
pub mod lifecycle;
pub mod list;
pub mod log;
pub mod prompt;
pub mod propose;
pub mod repair;
pub mod set;
pub mod show;
pub mod status;
pub mod summary;
pub mod tour;
pub mod transacted;
pub mod trust;
pub mod tweak;
pub mod verify;

#[cfg(test)]
pub(crate) mod testing;
