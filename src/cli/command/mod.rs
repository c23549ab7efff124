//! One file a command: its arguments, whose comments are the manual, and how its outcome reads.

mod contract;
mod contract_json;
mod say;

pub mod abandon;
pub mod abort;
pub mod auditor;
pub mod block;
pub mod complete;
pub mod config;
pub mod confirm;
pub mod doctor;
pub mod draft;
pub mod drafts;
pub mod fail;
pub mod focus;
pub mod hook;
pub mod init;
pub mod lease;
pub mod list;
pub mod log;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod note;
pub mod pause;
pub mod prompt;
pub mod propose;
pub mod reject;
pub mod repair;
pub mod resume;
pub mod review;
pub mod schema;
pub mod set;
pub mod show;
pub mod status;
pub mod summary;
pub mod supervise;
pub mod tool;
pub mod tour;
pub mod trust;
pub mod tweak;
pub mod unfocus;
pub mod verify;
