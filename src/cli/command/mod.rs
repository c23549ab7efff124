//! One file a command: its arguments, whose comments are the manual, and how its outcome reads.

mod contract;
mod say;

pub mod abandon;
pub mod abort;
pub mod block;
pub mod complete;
pub mod fail;
pub mod note;
pub mod pause;
pub mod prompt;
pub mod resume;
pub mod set;
pub mod summary;
pub mod supervise;
pub mod tour;
pub mod unfocus;
