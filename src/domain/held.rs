//! A value that is borrowed, or boxed.

use std::ops::Deref;

/// A value of an event: borrowed where the event is in memory, boxed where it was read from its line,
/// so that a header stays small.
#[derive(Debug, Clone)]
pub enum Held<'a, T> {
    There(&'a T),
    Here(Box<T>),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Held::There(there) => there,
            Held::Here(here) => here,
        }
    }
}

impl<T: PartialEq> PartialEq for Held<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
