//! One use case a file: typed request to outcome, which is the JSON data of its command.

// In reading order, which blank lines keep rustfmt from sorting. What all of them share:
pub mod accepted;
pub mod attention;
pub mod attested;
pub mod call;
pub mod evidence;
pub mod failure;
pub mod findings;
pub mod interrupt;
pub mod request;
pub mod two_steps;
pub mod workers;

pub mod contracted;
pub mod transacted;

// Setting up:
pub mod config;
pub mod configure;
pub mod init;
pub mod store;
pub mod sync;
pub mod tour;
pub mod trust;

// From an intent to a goal, and the acts on it:
pub mod baseline;
pub mod draft;
pub mod drafts;
pub mod drop;
pub mod import;
pub mod lease;
pub mod lifecycle;
pub mod propose;
pub mod set;
pub mod settle;
pub mod tasks;
pub mod tweak;

// The gate, and trying its auditor:
pub mod auditor_test;
pub mod audits;
pub mod complete;

// What its tasks are, and what that is made from:
pub mod plan;
pub mod plan_sync;
pub mod procedure;

// Going round until checks pass:
pub mod check;
pub mod iterate;

// How far it is, and what is called for where it gets no further:
pub mod about;
pub mod agenda;
pub mod elsewhere;
pub mod evaluate;

// Who owes it, and what it costs:
pub mod budget;
pub mod delegate;
pub mod uncounted;
pub mod under_way;
pub mod usage;

// An opinion on a goal, which decides nothing:
pub mod review;

// Working through tasks, and what external roles say on the way:
pub mod asking;
pub mod context;
pub mod interpret;
pub mod questions;
pub mod step;
pub mod waiting_on;
pub mod withdraw;

// Working a goal without a person:
pub mod follow_run;
pub mod run;
pub mod runs;

// Reading:
pub mod inbox;
pub mod list;
pub mod log;
pub mod notify;
pub mod orient;
pub mod phase;
pub mod prompt;
pub mod report;
pub mod show;
pub mod status;
pub mod summary;
pub mod watch;

// What agent hosts report of their sessions:
pub mod hook;

// Looking after the ledger and the documents:
pub mod doctor;
pub mod rehearse;
pub mod repair;
pub mod verify;
pub mod written;

#[cfg(test)]
pub(crate) mod testing;
