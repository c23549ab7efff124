//! What is saved of a goal: its outline, and either all of it or where its lines are.

use std::io;

use super::goals::json;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::state::Goal;
use crate::domain::line_index::LineIndex;

/// A goal's record: the length of the outline, the outline, and the rest.
pub struct Record {
    bytes: Vec<u8>,
    /// Where the rest begins.
    rest: usize,
}

/// What a record has besides the outline.
pub enum RecordBody {
    Goal(Box<Goal>),
    /// An ended goal is hardly ever looked at: its lines are folded when it is.
    Lines(LineIndex),
}

/// What the rest of a record begins with, if it is no goal.
const LINES: u8 = b'L';

/// Bytes of the outline's length.
const LEN: usize = 4;

impl Record {
    /// A record from its bytes; nothing when they are none.
    pub fn of(bytes: Vec<u8>) -> Option<Record> {
        let len = u32::from_le_bytes(*bytes.first_chunk::<LEN>()?) as usize;
        let rest = LEN.checked_add(len)?;
        (rest < bytes.len()).then_some(Record { bytes, rest })
    }

    /// The goal's outline.
    pub fn outline(&self) -> Option<Outline> {
        json(&self.bytes[LEN..self.rest])
    }

    /// The rest of it.
    pub fn rest(&self) -> Option<RecordBody> {
        match self.bytes[self.rest..].split_first()? {
            (&LINES, places) => Some(RecordBody::Lines(LineIndex::of(places.to_vec()))),
            _ => json(&self.bytes[self.rest..]).map(|goal| RecordBody::Goal(Box::new(goal))),
        }
    }
}

/// The bytes of a record.
///
/// # Errors
/// More than 4 GiB.
pub fn record(outline: &Outline, rest: &RecordBody) -> io::Result<Vec<u8>> {
    let outline = serde_json::to_vec(outline)?;
    let len = u32::try_from(outline.len()).map_err(io::Error::other)?;
    let rest = match rest {
        RecordBody::Goal(goal) => serde_json::to_vec(goal)?,
        RecordBody::Lines(lines) => [&[LINES], lines.as_bytes()].concat(),
    };
    Ok([&len.to_le_bytes()[..], &outline, &rest].concat())
}
