//! The command line as a person and as a machine see it.

mod again;
mod completions;
mod configure;
mod mistakes;
mod refusals;
mod repeats;
mod transactions;
