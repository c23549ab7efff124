//! What follows from the fields beside it and is kept so as not to be worked out again: no part of
//! what a value is, so it is neither compared, nor shown, nor saved, nor copied.

use std::fmt;
use std::sync::OnceLock;

/// Worked out when somebody first asks.
pub struct Derived<T>(OnceLock<T>);

impl<T> Derived<T> {
    /// What was worked out, now or before.
    pub fn get(&self, work_out: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(work_out)
    }

    /// What was worked out before, to be kept in step with a change; nothing where nobody asked.
    pub fn known(&mut self) -> Option<&mut T> {
        self.0.get_mut()
    }

    /// Forgets it: what it follows from has changed.
    pub fn forget(&mut self) {
        self.0.take();
    }
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Derived(OnceLock::new())
    }
}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        Derived::default()
    }
}

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}

impl<T> fmt::Debug for Derived<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("derived")
    }
}
