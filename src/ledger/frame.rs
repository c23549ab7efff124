//! Bytes to lines: frames on 0x0A only, with one reused buffer, and never fails on content.
//!
//! Not a memory map: a checkout that truncates the file under it would be a SIGBUS.

use std::io::{self, Read};

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
/// (docs/ledger-format.md#reading). Memory: 256 KiB, at most a byte over [`MAX_LINE`] when a line
/// is that long.
///
/// # Errors
/// Only those of `reader`; an interrupted read is repeated.
pub fn scan(reader: impl Read, on_line: impl FnMut(RawLine<'_>)) -> io::Result<Extent> {
    scan_on(Extent::EMPTY, reader, on_line)
}

/// The same from behind the line end up to which `before` was read, where `reader` begins.
///
/// # Errors
/// As [`scan`].
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
    mut reader: impl Read,
    on_line: impl FnMut(RawLine<'_>),
) -> io::Result<Extent> {
    let mut buffer = vec![0; limits.buffer];
    // Bytes of the unfinished line at the front of the buffer: known to hold no line end.
    let mut held = 0;
    let mut frames = Frames {
        max: limits.line,
        extent: before,
        passed: 0,
        on_line,
    };
    loop {
        let read = read_some(&mut reader, &mut buffer[held..])?;
        if read == 0 {
            break;
        }
        let filled = held + read;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &buffer[held..filled]) {
            let end = held + end;
            frames.hand_out(&buffer[start..end], true);
            start = end + 1;
        }
        held = filled - start;
        if held > limits.line {
            frames.passed += held as u64;
            held = 0;
        } else {
            buffer.copy_within(start..filled, 0);
            if held == buffer.len() {
                buffer.resize((held * 2).min(limits.line + 1), 0);
            }
        }
    }
    if held > 0 || frames.passed > 0 {
        frames.hand_out(&buffer[..held], false);
    }
    Ok(frames.extent)
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

struct Frames<F> {
    max: usize,
    /// What has been handed out so far; its length is where the next line begins.
    extent: Extent,
    /// Bytes of the current line that were let go because it is too long.
    passed: u64,
    on_line: F,
}

impl<F: FnMut(RawLine<'_>)> Frames<F> {
    fn hand_out(&mut self, bytes: &[u8], terminated: bool) {
        let oversized = self.passed > 0 || bytes.len() > self.max;
        let offset = self.extent.len;
        self.extent = Extent {
            len: offset + self.passed + bytes.len() as u64 + u64::from(terminated),
            lines: self.extent.lines + 1,
            terminated,
        };
        self.passed = 0;
        (self.on_line)(RawLine {
            number: self.extent.lines,
            ordinal: self.extent.lines,
            offset,
            bytes: if oversized { &[] } else { bytes },
            terminated,
            oversized,
        });
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
            let reader = Pieces { rest: &bytes, sizes: &sizes, turn: 0 };
            prop_assert_eq!(collect(Limits { buffer, line }, reader), naive(line, &bytes));
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
