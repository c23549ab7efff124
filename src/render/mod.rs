//! Pure text from state and given templates.

pub mod document;
pub mod escape;
pub mod text;
