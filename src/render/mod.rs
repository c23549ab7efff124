//! Pure text from state and given templates.

pub mod escape;
pub mod document;
