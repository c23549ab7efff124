//! The lines of a client, of which none is kept longer than a message may be.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::glimpse::Glimpse;

/// The longest line that is read as a message, in bytes.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;

/// One line.
#[derive(Debug)]
pub(super) enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// Longer than [`LONGEST`]: this much is known of it.
    TooLong(Glimpse),
}

/// Reads a client's lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    kept: Vec<u8>,
    /// Set while the rest of a line that is too long goes by.
    passing: Option<Glimpse>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn of(reader: R) -> Lines<R> {
        Lines {
            reader: BufReader::new(reader),
            kept: Vec::new(),
            passing: None,
        }
    }

    /// The next line; nothing once the client has closed its side. A last line without an end was
    /// cut off, and counts for nothing.
    ///
    /// May be dropped at any time: what it has taken by then, the next call goes on with.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let bytes = self.reader.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', bytes);
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if let Some(glimpse) = &mut self.passing {
                glimpse.see(part);
            } else if self.kept.len() + part.len() <= LONGEST {
                self.kept.extend_from_slice(part);
            } else {
                let mut glimpse = Glimpse::of(&std::mem::take(&mut self.kept));
                glimpse.see(part);
                self.passing = Some(glimpse);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                let whole = std::mem::take(&mut self.kept);
                let line = self.passing.take().map(Line::TooLong);
                return Ok(Some(line.unwrap_or(Line::Whole(whole))));
            }
        }
    }
}
