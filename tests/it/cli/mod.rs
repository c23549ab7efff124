//! The command line as a person and as a machine see it.

mod completions;
mod configure;
mod refusals;
mod repeats;
mod transactions;
