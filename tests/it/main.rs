//! The integration tests: one binary, one module a suite.

mod diagnostics;
mod project;
mod schemas;
mod upkeep;
