//! The bytes of an append, and where its lines stand once they are in the file. Pure.

use super::Appended;
use crate::domain::line::LineRef;
use crate::ledger::frame::Extent;

/// The bytes of one append and what they build on.
pub(super) struct Batch<'a> {
    pub(super) lines: &'a [String],
    pub(super) before: &'a Extent,
    pub(super) bytes: Vec<u8>,
}

impl<'a> Batch<'a> {
    /// A torn tail is ended_a_line by a leading line end, never cut.
    pub(super) fn new(lines: &'a [String], before: &'a Extent) -> Self {
        debug_assert!(lines.iter().all(|line| !line.contains('\n')));
        let seal = if before.terminated { "" } else { "\n" };
        let mut bytes = seal.as_bytes().to_vec();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        Batch {
            lines,
            before,
            bytes,
        }
    }

    pub(super) fn ended_a_line(&self) -> bool {
        !self.before.terminated && !self.lines.is_empty()
    }

    /// Where every line stands when the bytes are at `offset`, with `between` line ends from
    /// others before it that the scan had not seen.
    pub(super) fn stands(&self, offset: u64, between: u64) -> Appended {
        let ended_a_line = self.ended_a_line();
        let mut end = offset + u64::from(ended_a_line);
        // A torn tail is counted already: sealing it adds no line.
        let mut number = self.before.lines + between;
        let mut refs = Vec::with_capacity(self.lines.len());
        for line in self.lines {
            number += 1;
            refs.push(LineRef {
                offset: end,
                // A line of ours is at most 256 KiB long, so its length fits.
                len: u32::try_from(line.len()).unwrap_or(u32::MAX),
                number,
            });
            end += line.len() as u64 + 1;
        }
        Appended {
            lines: refs,
            extent: Extent {
                len: end,
                lines: number,
                terminated: self.before.terminated || ended_a_line,
            },
            ended_a_line,
            stamps: None,
        }
    }
}
