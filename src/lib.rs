//! `goal`: an append-only ledger for the goals of coding agents.
//!
//! The modules below stand in reading order, and imports point one way: a module may use those
//! above it, never those below. `domain` and `render` are pure; a test holds both rules.

// Blank lines keep rustfmt from sorting what is in reading order.
pub mod domain;
pub mod render;

pub mod ledger;
pub mod workspace;

pub mod documents;
pub mod snapshot;

pub mod projection;
pub mod transaction;

pub mod process;
pub mod roles;

pub mod ops;

pub mod api;
pub mod cli;
