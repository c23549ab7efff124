//! Goals: their state, how events change it, and what may be decided on it.

pub mod bounded;
pub mod chain;
mod change;
pub mod concurrent;
pub mod contest;
pub mod continuation;
pub mod contract;
pub mod difference;
pub mod document;
pub mod draft;
pub mod fields;
pub mod row;
mod seen;
pub mod signed;
pub mod slots;
pub mod state;
pub mod status;
