//! The notes of a goal as a later session reads them: the last few, each cut.

use crate::domain::goal::state::Goal;
use crate::render::acted::acted;
use crate::render::clock::moment;
use crate::render::text::short;

/// Most notes that are shown.
const LATEST: usize = 3;

/// The latest notes, oldest first, each with its time to the minute in UTC and who wrote it, cut to
/// `most` bytes.
pub(super) fn latest(goal: &Goal, most: usize) -> Vec<String> {
    let skipped = goal.notes.len().saturating_sub(LATEST);
    let latest = goal.notes.iter().skip(skipped);
    latest
        .map(|note| {
            let by = note.by.map_or_else(String::new, |by| {
                format!(" by {}", acted(by, note.via.as_deref()))
            });
            let at = short(&moment(&note.at), 40);
            format!("{at}{by}: {}", short(&note.text, most))
        })
        .collect()
}
