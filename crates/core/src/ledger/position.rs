//! Where reading begins, and which lines are behind that place.

use crate::domain::id::EventId;
use crate::domain::line::RawLine;

/// Where reading begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Position {
    /// With the first event.
    #[default]
    Start,
    /// After the first event with this id. That no event has it is an error: the ledger was rewound or
    /// replaced.
    After(EventId),
    /// With the line that begins at this offset in bytes, or has it within. An offset past the end means
    /// the last line end, so nothing.
    Offset(u64),
    /// After the last event: with what is appended from now on.
    End,
}

/// Tells lines behind a position from those before it.
#[derive(Debug, Clone, Copy)]
pub struct Seek {
    position: Position,
    is_reached: bool,
}

impl Seek {
    /// From the first line of the ledger on.
    pub fn new(position: Position) -> Seek {
        Seek {
            position,
            is_reached: position == Position::Start,
        }
    }

    /// Whether this line is behind the position. Asked of each line in turn.
    pub fn passes(&mut self, raw: &RawLine<'_>) -> bool {
        if self.is_reached {
            return true;
        }
        match self.position {
            Position::After(id) => {
                self.is_reached = EventId::of_line(raw.bytes) == id;
                false
            }
            // The line's end counts: an offset within a line is that line's.
            Position::Offset(offset) => {
                self.is_reached = raw.offset + raw.bytes.len() as u64 >= offset;
                self.is_reached
            }
            Position::Start => true,
            Position::End => false,
        }
    }

    /// Whether the lines that come are behind the position.
    pub fn is_reached(&self) -> bool {
        self.is_reached
    }

    /// The id that no line had so far.
    pub fn missing(&self) -> Option<EventId> {
        match self.position {
            Position::After(id) if !self.is_reached => Some(id),
            _ => None,
        }
    }
}
