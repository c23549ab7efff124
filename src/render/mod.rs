//! Pure text from state and given templates.

pub mod audit;
mod contract;
pub mod document;
pub mod escape;
pub mod findings;
mod next;
pub mod summary;
mod task;
pub mod text;
pub mod verify;

#[cfg(test)]
pub mod testing;
