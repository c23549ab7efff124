//! Lists of which a goal keeps the latest.

use std::collections::VecDeque;

/// Adds an item, and lets the oldest go where there are more than `most`.
pub(in crate::domain) fn push_bounded<T>(items: &mut VecDeque<T>, item: T, most: usize) {
    items.push_back(item);
    if items.len() > most {
        items.pop_front();
    }
}
