//! Whether a line that was replayed could not be read again: what was shown may then lack it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Noted where a goal is folded, and asked for by whoever gives an answer that was made from one.
/// Copies tell of the same.
#[derive(Debug, Clone, Default)]
pub struct Losses(Arc<AtomicBool>);

impl Losses {
    /// A line could not be read again as it was.
    pub fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether one could not.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// It is no part of what holds it.
impl PartialEq for Losses {
    fn eq(&self, _: &Losses) -> bool {
        true
    }
}

impl Eq for Losses {}
