//! A report as text, as Markdown and as a page. All three are made from `goal/report/1`, and what
//! is written in it is cleaned before it is shown.

pub mod digest;
pub mod markdown;
pub mod page;
#[cfg(test)]
pub mod testing;
mod words;

pub use digest::digest;
pub use markdown::markdown;
pub use page::{GENERATOR, page};
