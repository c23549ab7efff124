//! The file of events: framing, the lock, appending, and what is read without either.
//!
//! Reading ([`frame`], [`lines`], [`chain`]) needs no lock and never fails on content. Writing
//! goes one way: [`lock::DirLock`], then [`append::Writer`]; the transaction is the only caller.
//! Nothing here knows what an event means.

pub mod append;
pub mod cache;
pub mod chain;
mod disk;
pub mod follow;
pub mod frame;
pub mod lines;
pub mod lock;
pub mod open;
pub mod poll;
pub mod position;
pub mod small;
