//! All events of a ledger, or those behind a place, in one pass.

use std::fmt;
use std::fs::File;

use crate::domain::event::ledger::says_that_it_moved;
use crate::ledger::frame::FramedLines;
use crate::ledger::position::{Position, Seek};
use crate::library::{Error, Event};

/// The events of a ledger in the order of the file, read as they are asked for: see
/// [`Ledger::events`](crate::Ledger::events). After an error there are no more.
pub struct Events {
    /// `None` once all is read.
    lines: Option<FramedLines<File>>,
    seek: Seek,
    /// The last line says that the ledger goes on elsewhere.
    moved: bool,
}

impl Events {
    /// Those behind this position; without a file there are none.
    pub(super) fn of(file: Option<File>, from: Position) -> Events {
        Events {
            lines: file.map(FramedLines::new),
            seek: Seek::new(from),
            moved: false,
        }
    }

    fn read_on(&mut self) -> Result<Option<Event>, Error> {
        let Some(lines) = &mut self.lines else {
            return self
                .seek
                .missing()
                .map_or(Ok(None), |id| Err(Error::no_event(id)));
        };
        while let Some(raw) = lines.next_line()? {
            // Whoever wrote the last line is not done with it, and the next call gives it whole.
            if !raw.terminated {
                continue;
            }
            self.moved = says_that_it_moved(raw.bytes);
            if self.seek.passes(&raw)
                && let Some(event) = Event::of_line(&raw)
            {
                return Ok(Some(event));
            }
        }
        match self.seek.missing() {
            Some(id) => Err(Error::no_event(id)),
            None if self.moved => Err(Error::elsewhere()),
            None => Ok(None),
        }
    }
}

impl Iterator for Events {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Result<Event, Error>> {
        let read = self.read_on();
        if !matches!(read, Ok(Some(_))) {
            (self.lines, self.seek) = (None, Seek::new(Position::Start));
        }
        read.transpose()
    }
}

impl std::iter::FusedIterator for Events {}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
