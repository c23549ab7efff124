//! What a report says of a project: one document, `goal/report/1`, from which the text, the
//! Markdown and the page are made. Everything here is pure; the time is passed in.

pub mod document;
pub mod fold;
pub mod redact;
pub mod window;

pub use document::*;
