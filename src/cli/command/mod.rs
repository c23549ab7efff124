//! One file a command: its arguments, whose comments are the manual, and how its outcome reads.

mod contract;
mod say;

pub mod abandon;
pub mod abort;
pub mod block;
pub mod complete;
pub mod fail;
pub mod focus;
pub mod list;
pub mod log;
pub mod note;
pub mod pause;
pub mod prompt;
pub mod resume;
pub mod set;
pub mod show;
pub mod status;
pub mod summary;
pub mod supervise;
pub mod unfocus;
