//! Iterations and runs: going round until checks pass.

pub mod apply;
pub mod command;
pub mod judge;
pub mod report;
pub mod state;
pub mod stats;
