//! One file a command: its arguments, whose comments are the manual, and how its outcome reads.

mod contract;
mod say;

pub mod abandon;
pub mod abort;
pub mod auditor;
pub mod block;
pub mod complete;
pub mod config;
pub mod doctor;
pub mod fail;
pub mod init;
pub mod note;
pub mod pause;
pub mod repair;
pub mod resume;
pub mod schema;
pub mod set;
pub mod supervise;
pub mod trust;
pub mod unfocus;
pub mod verify;
