//! Goals: their events, their state, how events change it, and what may be decided on it.

pub mod contract;
pub mod events;
