//! A line of the ledger as the reader hands it to replay, a reference to one, and where an event comes
//! from.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::domain::actor::Actor;

/// One framed line: the bytes between two `0x0A`, before anybody judged them.
#[derive(Debug, Clone, Copy)]
pub struct RawLine<'a> {
    /// 1 for the first line of the file.
    pub number: u64,
    /// Offset in bytes of the line's first byte.
    pub offset: u64,
    /// The line without its `0x0A`. Empty when `oversized`.
    pub bytes: &'a [u8],
    /// Whether a `0x0A` followed; only the last line of a file can lack it.
    pub terminated: bool,
    /// The line is longer than [`MAX_LINE`]; its bytes were passed over.
    pub oversized: bool,
    /// 1 for the first line in the order of replay: the number in the file, unless the ledger was
    /// merged.
    pub ordinal: u64,
}

/// The longest line that is read, in bytes without the line end (docs/ledger-format.md#reading).
pub const MAX_LINE: usize = 1024 * 1024;

/// Where a line stands in the ledger; of two the one that replay comes to first is the lesser. Its bytes are read again only when they are shown, linked
/// or compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(from = "(u64, u32, u64)", into = "(u64, u32, u64)")]
pub struct LineRef {
    /// 1 for the first line in the order of replay: the number in the file, unless the ledger was
    /// merged.
    pub number: u64,
    /// Offset in bytes of the line's first byte.
    pub offset: u64,
    /// Length in bytes without the line end.
    pub len: u32,
}

impl LineRef {
    /// Before every line: where reading from a line on begins for the whole file.
    pub const START: LineRef = LineRef {
        offset: 0,
        len: 0,
        number: 0,
    };
}

/// In a saved state, where a project has a hundred for each goal.
impl From<(u64, u32, u64)> for LineRef {
    fn from((offset, len, number): (u64, u32, u64)) -> LineRef {
        LineRef {
            offset,
            len,
            number,
        }
    }
}

impl From<LineRef> for (u64, u32, u64) {
    fn from(line: LineRef) -> Self {
        (line.offset, line.len, line.number)
    }
}

impl From<RawLine<'_>> for LineRef {
    fn from(raw: RawLine<'_>) -> Self {
        // A line that is not oversized is at most `MAX_LINE` long, so its length fits.
        let len = u32::try_from(raw.bytes.len()).unwrap_or(u32::MAX);
        LineRef {
            offset: raw.offset,
            len,
            number: raw.ordinal,
        }
    }
}

/// Where the bytes of a line are read again.
pub trait Source: Debug + Send + Sync {
    /// The line's bytes, without the line end; nothing when they cannot be had any more.
    fn read(&self, line: LineRef) -> Option<Vec<u8>>;
}

/// A ledger that lies in memory.
impl Source for Vec<u8> {
    fn read(&self, line: LineRef) -> Option<Vec<u8>> {
        let begin = usize::try_from(line.offset).ok()?;
        let bytes = self.get(begin..)?.get(..line.len as usize)?;
        Some(bytes.to_vec())
    }
}

/// Who wrote an event, when, and where it stands.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::domain) struct Origin<'a> {
    pub at: &'a str,
    pub by: Option<Actor>,
    pub via: Option<&'a str>,
    pub session: Option<&'a str>,
    /// The line is one of ours.
    pub ours: bool,
    pub line: LineRef,
}
