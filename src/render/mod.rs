//! Pure text from state and given templates.

// In reading order, which blank lines keep rustfmt from sorting. How stored text becomes fit to
// be shown:
pub mod escape;
pub mod json;
pub mod text;

pub mod agent_output;
pub mod amounts;
pub mod changes;
pub mod checkpoints;
pub mod clock;
pub mod columns;
mod marks;
mod notes;
pub mod pages;
pub mod table;

// Pieces that several texts have in common:
pub mod acted;
pub mod audit;
pub mod contest;
pub mod contract;
pub mod event;
pub mod findings;
pub mod focused;

pub mod next;
pub mod proof;
mod task;

pub mod waiting;
pub mod work;

// What interfaces show of a goal, as data:
pub mod view;

pub mod progress;

// Texts: for agents and files, then for people:
pub mod document;
pub mod evaluation;
mod goal;
pub mod planner;
pub mod prompt;
mod review;
pub mod stores;
pub mod summary;
pub mod surface;
pub mod sync;

pub mod commitments;
pub mod cost;
pub mod drafts;
pub mod inbox;
pub mod iteration;
pub mod list;
pub mod log;
pub mod report;
pub mod run;
pub mod runs;
pub mod settle;
pub mod show;
pub mod status;
pub mod tasks;
pub mod tour;
pub mod watch;

#[cfg(test)]
pub mod testing;
