//! The file as a replica of what a store has: what the store answers goes on where the file ends, or
//! the two differ.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::error::StoreError;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::ledger::append::Appended;
use crate::ledger::frame::Extent;

/// How much of the file is read at once when its last line is looked for.
const WINDOW: u64 = 64 * 1024;

/// What a store has behind a file, line by line as it answers.
#[derive(Debug)]
pub struct Incoming {
    /// The file as it is.
    extent: Extent,
    /// The file's last line, with which the first answered line begins; nothing once it was compared,
    /// and of an empty file.
    last: Option<Vec<u8>>,
    /// What belongs behind the file's end.
    bytes: Vec<u8>,
}

impl Incoming {
    /// Nothing yet, behind this file. Without one it is everything.
    pub fn behind(file: Option<&File>, extent: Extent) -> io::Result<Incoming> {
        let last = match file {
            Some(file) if extent.len > 0 => Some(last_line(file, &extent)?),
            _ => None,
        };
        Ok(Incoming {
            extent,
            last,
            bytes: Vec::new(),
        })
    }

    /// Where the answer has to begin.
    pub fn from(&self) -> u64 {
        self.extent.len
    }

    /// Takes the next line that the store has.
    ///
    /// # Errors
    /// The file has another line there.
    pub fn take(&mut self, ledger: &str, line: &str) -> Result<(), StoreError> {
        if line.contains('\n') {
            return Err(StoreError::Failed {
                why: "the helper answered a line with a line end in it".to_owned(),
            });
        }
        let rest = match self.last.take() {
            None => line,
            Some(last) => {
                let begins = line.as_bytes().starts_with(&last);
                if !begins || (self.extent.terminated && last.len() != line.len()) {
                    return Err(StoreError::Diverged {
                        ledger: ledger.to_owned(),
                        how: format!(
                            "the file's last line is `{}`, and the store has there `{}`",
                            start(&String::from_utf8_lossy(&last)),
                            start(line)
                        ),
                    });
                }
                if self.extent.terminated {
                    return Ok(());
                }
                // A torn tail, which the store has whole.
                &line[last.len()..]
            }
        };
        self.bytes.extend_from_slice(rest.as_bytes());
        self.bytes.push(b'\n');
        Ok(())
    }

    /// What belongs behind the file's end, up to this end of the store.
    ///
    /// # Errors
    /// The answer does not lead there.
    pub fn up_to(self, end: u64) -> Result<Vec<u8>, StoreError> {
        let reached = self.extent.len + self.bytes.len() as u64;
        if self.last.is_some() || reached != end {
            return Err(StoreError::Failed {
                why: format!("the lines that the helper answered end at {reached}, not at {end}"),
            });
        }
        Ok(self.bytes)
    }
}

/// Where lines stand that an append has put among these bytes behind a file; nothing where the first
/// is not there.
pub fn found(bytes: &[u8], before: &Extent, lines: &[String]) -> Option<Appended> {
    let wanted = EventId::of_line(lines.first()?.as_bytes());
    let mut at = LineRef {
        offset: before.len,
        len: 0,
        number: before.lines,
    };
    let (mut ours, mut end) = (Vec::new(), before.len);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        at = LineRef {
            offset: end,
            len: u32::try_from(text.len()).unwrap_or(u32::MAX),
            number: at.number + 1,
        };
        end += line.len() as u64;
        let goes_on = !ours.is_empty() && ours.len() < lines.len();
        if goes_on || (ours.is_empty() && EventId::of_line(text) == wanted) {
            ours.push(at);
        }
    }
    (ours.len() == lines.len()).then_some(Appended {
        lines: ours,
        extent: Extent {
            len: end,
            lines: at.number,
            terminated: true,
        },
        ended_a_line: false,
        stamps: None,
    })
}

/// The file's last line, without its line end.
fn last_line(file: &File, extent: &Extent) -> io::Result<Vec<u8>> {
    let end = extent.len - u64::from(extent.terminated);
    let mut begin = end;
    let mut line = Vec::new();
    while begin > 0 {
        let from = begin.saturating_sub(WINDOW);
        let mut window = vec![0; usize::try_from(begin - from).map_err(io::Error::other)?];
        file.read_exact_at(&mut window, from)?;
        if let Some(at) = memchr::memrchr(b'\n', &window) {
            window.drain(..=at);
            window.append(&mut line);
            return Ok(window);
        }
        window.append(&mut line);
        (line, begin) = (window, from);
    }
    Ok(line)
}

/// As much of a line as a message shows.
fn start(line: &str) -> String {
    let start: String = line.chars().take(100).collect();
    match start.len() < line.len() {
        true => format!("{start}…"),
        false => start,
    }
}
