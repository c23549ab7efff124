//! Pure text from state and given templates.

mod columns;
mod next;
mod task;

pub mod audit;
pub mod contract;
pub mod document;
pub mod drafts;
pub mod escape;
pub mod event;
pub mod findings;
pub mod json;
pub mod list;
pub mod log;
pub mod prompt;
pub mod show;
pub mod status;
pub mod summary;
pub mod text;
pub mod tour;
pub mod verify;
pub mod view;

#[cfg(test)]
pub mod testing;
