//! Pure text from state and given templates.

pub mod contract;
pub mod document;
pub mod drafts;
pub mod escape;
pub mod event;
mod next;
pub mod prompt;
pub mod summary;
mod task;
pub mod text;
pub mod tour;

#[cfg(test)]
pub mod testing;
