//! Goals: their state, how events change it, and what may be decided on it.

pub mod chain;
mod change;
pub mod concurrent;
pub mod contest;
pub mod continuation;
pub mod contract;
pub mod difference;
pub mod document;
pub mod draft;
pub mod fields;
pub mod row;
mod seen;
pub mod signed;
pub mod slots;
pub mod state;
pub mod status;
pub mod status_acts;

use std::collections::VecDeque;

/// Adds an item, and lets the oldest go where there are more than `most`.
pub(in crate::domain) fn push_bounded<T>(items: &mut VecDeque<T>, item: T, most: usize) {
    items.push_back(item);
    if items.len() > most {
        items.pop_front();
    }
}
