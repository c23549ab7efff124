//! One use case a file: typed request to outcome, which is the JSON data of its command.

pub mod call;
pub mod complete;
pub mod failure;
pub mod findings;
pub mod transacted;

pub mod auditor_test;
pub mod config;
pub mod doctor;
pub mod init;
pub mod lifecycle;
pub mod prompt;
pub mod repair;
pub mod set;
pub mod trust;
pub mod verify;
