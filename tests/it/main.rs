//! The integration tests: one binary, one module a suite.
#![expect(
    clippy::unwrap_used,
    reason = "in a test a failed unwrap is a failed test"
)]

mod diagnostics;
mod project;
mod schemas;
mod upkeep;
