//! Iterations and runs: going round until checks pass.

pub mod events;
