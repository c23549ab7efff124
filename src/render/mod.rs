//! Pure text from state and given templates.

mod columns;
pub mod contract;
pub mod document;
pub mod drafts;
pub mod escape;
pub mod event;
pub mod json;
pub mod list;
pub mod log;
mod next;
pub mod prompt;
pub mod show;
pub mod status;
pub mod summary;
mod task;
pub mod text;
pub mod tour;
pub mod view;

#[cfg(test)]
pub mod testing;
