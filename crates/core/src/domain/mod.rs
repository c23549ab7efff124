//! The pure core: what an event is, how events fold into state, and what may be decided on it.
//!
//! Nothing here does I/O or reads a clock, an environment or randomness: times, ids, actor and
//! texts are passed in.

pub mod actor;
pub mod attention;
pub mod causal;
pub mod changes;
pub mod command;
pub mod cost;
pub mod decide;
pub mod derived;
pub mod diagnostic;
pub mod event;
pub mod exchange;
pub mod findings;
pub mod focus;
pub mod forms;
pub mod goal;
pub mod goals;
pub mod history;
pub mod hold;
pub mod id;
pub mod iteration;
pub mod latest;
pub mod lease;
pub mod line;
pub mod objections;
pub mod passed_on;
mod pattern;
pub mod procedure;
pub mod progress;
pub mod proof;
pub mod redact;
pub mod rejection;
pub mod replay;
pub mod report;
pub mod requests;
pub mod review;
pub mod run;
pub mod schema;
pub mod seal;
pub mod second_copies;
pub mod select;
pub mod settled;
pub mod state;
pub mod task;
pub mod time;
pub mod verdict;
pub mod wire;
pub mod words;

#[cfg(test)]
pub(crate) mod testing;
