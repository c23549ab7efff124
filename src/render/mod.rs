//! Pure text from state and given templates.

pub mod contract;
pub mod document;
pub mod drafts;
pub mod escape;
pub mod text;
