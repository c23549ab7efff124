//! One goal in full, for a person.

use crate::render::clock::Clock;
use crate::render::goal::{Detail, Reader, blocks, full};
use crate::render::view::GoalView;

/// Everything that the view holds. No line is wider than so many columns, where these are known, but a
/// word that is.
pub fn show(view: &GoalView, clock: Clock<'_>, columns: Option<usize>) -> String {
    let reader = Reader::of(Detail::Full, clock);
    full(&blocks(view, reader), clock, columns)
}

#[cfg(test)]
mod tests;
