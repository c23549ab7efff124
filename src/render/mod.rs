//! Pure text from state and given templates.

mod contract;
pub mod document;
pub mod escape;
mod next;
pub mod summary;
mod task;
pub mod text;

#[cfg(test)]
pub mod testing;
