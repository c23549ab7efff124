//! Stored text in a prompt: a block that nothing within can close.

use crate::domain::verdict::{defang, fence};
use crate::render::text::clean;

/// Untrusted text as a block.
pub(super) fn fenced(text: &str) -> String {
    fence(&defang(&clean(text)))
}

/// What a text is, and the text as a block; empty where there is none.
pub(super) fn block(lead: &str, text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("{lead}\n\n{}", fenced(text)),
    }
}
