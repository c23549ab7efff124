//! One use case a file: typed request to outcome, which is the JSON data of its command.

pub mod call;
pub mod complete;
pub mod contracted;
pub mod failure;
pub mod transacted;

pub mod draft;
pub mod drafts;
pub mod lifecycle;
pub mod list;
pub mod log;
pub mod prompt;
pub mod propose;
pub mod set;
pub mod show;
pub mod status;
pub mod summary;
pub mod tour;
pub mod tweak;
