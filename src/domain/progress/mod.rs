//! Progress: evaluations and escalations.

pub mod events;
