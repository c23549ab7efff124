//! The integration tests: one binary, one module a suite. They run the real `goal` in real
//! directories; `support` makes both hermetic.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper cannot do ends its test, which is what should happen"
)]

mod support;

mod actors;
mod checks;
mod cli;
mod concurrency;
mod corpus;
mod diagnostics;
mod gate;
mod legacy;
mod schemas;
mod output;
mod paths;
mod storm;
mod supervisor;
mod tidy;
mod tour;
