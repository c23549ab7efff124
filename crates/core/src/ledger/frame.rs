//! Bytes to lines: frames on 0x0A only, with one reused buffer, and never fails on content.
//!
//! Not a memory map: a checkout that truncates the file under it would be a SIGBUS.

use std::io::{self, Read};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::domain::line::{MAX_LINE, RawLine};

/// How much of the file was read, and how it ends: what an append builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Length in bytes.
    pub len: u64,
    /// Number of lines, an unterminated last one included.
    pub lines: u64,
    /// Whether the last byte is a line end. True for an empty file: nothing needs sealing.
    pub terminated: bool,
}

impl Extent {
    /// An empty ledger, or one that does not exist yet.
    pub const EMPTY: Extent = Extent {
        len: 0,
        lines: 0,
        terminated: true,
    };
}

/// Sizes in bytes; parameters only so that tests reach every branch with short inputs.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// What the buffer has at first. It grows only while a line needs it.
    buffer: usize,
    /// The longest line that is handed out with its bytes.
    line: usize,
}

const LIMITS: Limits = Limits {
    buffer: 256 * 1024,
    line: MAX_LINE,
};

/// Reads to the end and hands out every line in order, blank ones too. A line over
/// [`MAX_LINE`] is passed over without being held in memory and handed out as `oversized`
/// (docs/ledger-format.md#reading). Memory: 256 KiB, or the longest line twice where one is longer.
///
/// # Errors
/// Only those of `reader`; an interrupted read is repeated.
pub fn scan(reader: impl Read, on_line: impl FnMut(RawLine<'_>)) -> io::Result<Extent> {
    scan_on(Extent::EMPTY, reader, on_line)
}

/// The same from behind the line end up to which `before` was read, where `reader` begins.
pub fn scan_on(
    before: Extent,
    reader: impl Read,
    on_line: impl FnMut(RawLine<'_>),
) -> io::Result<Extent> {
    scan_within(LIMITS, before, reader, on_line)
}

fn scan_within(
    limits: Limits,
    before: Extent,
    reader: impl Read,
    mut on_line: impl FnMut(RawLine<'_>),
) -> io::Result<Extent> {
    let mut blocks = Blocks::within(limits, before, reader);
    let mut block = Block::default();
    while blocks.next(&mut block)? {
        block.lines(0..block.count()).for_each(&mut on_line);
    }
    Ok(blocks.extent)
}

/// A reader's lines, one at a time: for whoever asks for the next one when it suits them.
pub struct FramedLines<R> {
    blocks: Blocks<R>,
    block: Block,
    /// How many lines of the block were handed out.
    given: usize,
}

impl<R: Read> FramedLines<R> {
    /// The lines from the beginning of a ledger on, where `reader` begins.
    pub fn new(reader: R) -> FramedLines<R> {
        FramedLines::within(LIMITS, reader)
    }

    fn within(limits: Limits, reader: R) -> FramedLines<R> {
        FramedLines {
            blocks: Blocks::within(limits, Extent::EMPTY, reader),
            block: Block::default(),
            given: 0,
        }
    }

    /// The next line, as [`scan`] hands it out; `None` at the end.
    ///
    /// # Errors
    /// Those of [`scan`].
    pub fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        if self.given == self.block.count() {
            self.given = 0;
            if !self.blocks.next(&mut self.block)? {
                return Ok(None);
            }
        }
        self.given += 1;
        Ok(self.block.lines(self.given - 1..self.given).next())
    }

    /// Where the line after those that were handed out begins.
    pub fn end(&self) -> u64 {
        let next = self.block.frames.get(self.given);
        next.map_or(self.blocks.extent.len, |next| next.offset)
    }
}

/// A reader's lines, many at a time.
struct Blocks<R> {
    reader: R,
    limits: Limits,
    /// What has been handed out so far; its length is where the next line begins.
    extent: Extent,
    /// Bytes of the current line that were let go because it is too long.
    passed: u64,
    /// The beginning of the current line.
    held: Vec<u8>,
}

/// Lines that follow each other.
#[derive(Default)]
struct Block {
    /// Room for them, of which the end may be of no use.
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    /// The number of the first line.
    first: u64,
}

/// Where a line is in its block and in the file.
struct Frame {
    bytes: Range<usize>,
    offset: u64,
    terminated: bool,
    oversized: bool,
}

impl<R: Read> Blocks<R> {
    fn within(limits: Limits, before: Extent, reader: R) -> Blocks<R> {
        Blocks {
            reader,
            limits,
            extent: before,
            passed: 0,
            held: Vec::new(),
        }
    }

    /// Puts the next lines into the block in place of those that it has; false when there are none.
    fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        let Block { bytes, frames, .. } = block;
        frames.clear();
        block.first = self.extent.lines + 1;
        let (mut begin, mut end) = (0, self.held.len());
        let room = self.limits.buffer.max(end + 1);
        if bytes.len() < room {
            // Not written to, so the system need not find memory for what is not used.
            *bytes = vec![0; room];
        }
        bytes[..end].copy_from_slice(&self.held);
        loop {
            let read = read_some(&mut self.reader, &mut bytes[end..])?;
            if read == 0 {
                if end > begin || self.passed > 0 {
                    frames.push(self.frame(begin..end, false));
                }
                begin = end;
                break;
            }
            let filled = end + read;
            for at in memchr::memchr_iter(b'\n', &bytes[end..filled]) {
                frames.push(self.frame(begin..end + at, true));
                begin = end + at + 1;
            }
            end = filled;
            if end - begin > self.limits.line {
                self.passed += (end - begin) as u64;
                end = begin;
            }
            if end == bytes.len() {
                match frames.is_empty() {
                    true => bytes.resize((end * 2).min(self.limits.line + 1), 0),
                    false => break,
                }
            }
        }
        self.held.clear();
        self.held.extend_from_slice(&bytes[begin..end]);
        Ok(!frames.is_empty())
    }

    /// The next line, which has these bytes.
    fn frame(&mut self, bytes: Range<usize>, terminated: bool) -> Frame {
        let oversized = self.passed > 0 || bytes.len() > self.limits.line;
        let offset = self.extent.len;
        self.extent = Extent {
            len: offset + self.passed + bytes.len() as u64 + u64::from(terminated),
            lines: self.extent.lines + 1,
            terminated,
        };
        self.passed = 0;
        Frame {
            bytes: if oversized { 0..0 } else { bytes },
            offset,
            terminated,
            oversized,
        }
    }
}

impl Block {
    /// How many lines it has.
    fn count(&self) -> usize {
        self.frames.len()
    }

    /// Those of its lines.
    fn lines(&self, range: Range<usize>) -> impl Iterator<Item = RawLine<'_>> {
        let first = self.first + range.start as u64;
        let frames = self.frames[range].iter().zip(first..);
        frames.map(|(frame, number)| RawLine {
            number,
            ordinal: number,
            offset: frame.offset,
            bytes: &self.bytes[frame.bytes.clone()],
            terminated: frame.terminated,
            oversized: frame.oversized,
        })
    }
}

/// `Read::read` that goes on after a signal.
fn read_some(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A line as owned values: number, offset, bytes, terminated, oversized.
    type Seen = (u64, u64, Vec<u8>, bool, bool);

    /// Hands out the bytes in pieces of the given sizes, over and over, with an interruption
    /// between pieces.
    struct Pieces<'a> {
        rest: &'a [u8],
        sizes: &'a [usize],
        turn: usize,
    }

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.turn += 1;
            if self.turn.is_multiple_of(3) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let size = self.sizes[self.turn % self.sizes.len()].min(buffer.len());
            self.rest.read(&mut buffer[..size])
        }
    }

    fn collect(limits: Limits, reader: impl Read) -> (Extent, Vec<Seen>) {
        let mut seen = Vec::new();
        let extent = scan_within(limits, Extent::EMPTY, reader, |raw| {
            seen.push((
                raw.number,
                raw.offset,
                raw.bytes.to_vec(),
                raw.terminated,
                raw.oversized,
            ));
        });
        (extent.unwrap(), seen)
    }

    /// The same lines, asked for one at a time.
    fn one_by_one(limits: Limits, reader: impl Read) -> Vec<Seen> {
        let mut lines = FramedLines::within(limits, reader);
        let mut seen = Vec::new();
        let mut end = 0;
        while let Some(raw) = lines.next_line().unwrap() {
            assert_eq!(raw.offset, end);
            let bytes = raw.bytes.to_vec();
            seen.push((raw.number, raw.offset, bytes, raw.terminated, raw.oversized));
            end = lines.end();
        }
        seen
    }

    fn naive(max: usize, bytes: &[u8]) -> (Extent, Vec<Seen>) {
        let mut seen = Vec::new();
        let mut offset = 0;
        for (index, piece) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let line = piece.strip_suffix(b"\n").unwrap_or(piece);
            let oversized = line.len() > max;
            let shown = if oversized { Vec::new() } else { line.to_vec() };
            let terminated = piece.ends_with(b"\n");
            seen.push((index as u64 + 1, offset, shown, terminated, oversized));
            offset += piece.len() as u64;
        }
        let extent = Extent {
            len: bytes.len() as u64,
            lines: seen.len() as u64,
            terminated: bytes.is_empty() || bytes.ends_with(b"\n"),
        };
        (extent, seen)
    }

    proptest! {
        #[test]
        fn frames_as_a_naive_split_does(
            bytes in prop::collection::vec(
                prop_oneof![1 => Just(b'\n'), 6 => any::<u8>()], 0..200),
            sizes in prop::collection::vec(1_usize..40, 1..5),
            buffer in 1_usize..24,
            line in 1_usize..40,
        ) {
            let reader = || Pieces { rest: &bytes, sizes: &sizes, turn: 0 };
            let (limits, naive) = (Limits { buffer, line }, naive(line, &bytes));
            prop_assert_eq!(&one_by_one(limits, reader()), &naive.1);
            prop_assert_eq!(collect(limits, reader()), naive);
        }
    }

    #[test]
    fn the_longest_line_is_read_and_a_byte_more_is_passed_over() {
        for len in [
            LIMITS.buffer,
            MAX_LINE - 1,
            MAX_LINE,
            MAX_LINE + 1,
            3 * MAX_LINE,
        ] {
            for end in ["\nnext\n", "\n", ""] {
                let mut bytes = b"first\n".to_vec();
                bytes.resize(bytes.len() + len, b'x');
                bytes.extend_from_slice(end.as_bytes());
                assert!(
                    collect(LIMITS, bytes.as_slice()) == naive(MAX_LINE, &bytes),
                    "{len} bytes, then {end:?}"
                );
            }
        }
    }

    #[test]
    fn an_empty_file_counts_as_terminated() {
        assert_eq!(collect(LIMITS, io::empty()), (Extent::EMPTY, Vec::new()));
    }

    #[test]
    fn only_the_line_feed_ends_a_line() {
        let text = "a\rb\u{2028}c\u{85}d\0e\x0b\x0cf\r\n";
        let (extent, seen) = collect(LIMITS, text.as_bytes());
        assert_eq!(extent.lines, 1);
        assert_eq!(seen[0].2, text.trim_end_matches('\n').as_bytes());
    }
}
