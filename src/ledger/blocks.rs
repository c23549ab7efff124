//! Lines in blocks, for who takes many of them at once.

use std::io::{self, Read};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::domain::line::RawLine;
use crate::ledger::frame::{Extent, scan_on};

/// How many bytes of lines a block has, about.
const BLOCK: usize = 1024 * 1024;

/// How many lines it has at most, however short they are.
const MOST: usize = 8 * 1024;

/// As [`scan_on`], with many lines at a time; a thread reads ahead meanwhile, if one is to be had.
/// Memory: four blocks besides.
///
/// # Errors
/// As [`scan_on`].
pub fn scan_blocks(
    before: Extent,
    reader: impl Read + Send,
    mut on_block: impl FnMut(&[RawLine<'_>]),
) -> io::Result<Extent> {
    let reader = Mutex::new(reader);
    let (full, filled) = sync_channel(1);
    let (empty, emptied) = channel();
    let shared = &reader;
    let read = move || {
        let mut reader = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut block = Block::default();
        let extent = scan_on(before, &mut *reader, |raw| {
            block.add(&raw);
            if block.is_full() {
                let next = emptied.try_recv().unwrap_or_default();
                // Only who panics takes no more blocks.
                let _ = full.send(std::mem::replace(&mut block, next));
            }
        });
        let _ = full.send(block);
        extent
    };
    let ahead = thread::scope(|scope| {
        let reading = thread::Builder::new().spawn_scoped(scope, read).ok()?;
        for mut block in filled {
            block.hand_out(&mut on_block);
            let _ = empty.send(block);
        }
        Some(reading.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    ahead.unwrap_or_else(|| alone(before, reader, on_block))
}

/// The same on one thread.
fn alone(
    before: Extent,
    reader: Mutex<impl Read>,
    mut on_block: impl FnMut(&[RawLine<'_>]),
) -> io::Result<Extent> {
    let reader = reader.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut block = Block::default();
    let extent = scan_on(before, reader, |raw| {
        block.add(&raw);
        if block.is_full() {
            block.hand_out(&mut on_block);
        }
    })?;
    block.hand_out(&mut on_block);
    Ok(extent)
}

/// Lines, whose bytes were copied.
#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// Where the bytes of each are, and the line without them.
    lines: Vec<(Range<usize>, RawLine<'static>)>,
}

impl Block {
    fn is_full(&self) -> bool {
        self.bytes.len() > BLOCK || self.lines.len() > MOST
    }

    fn add(&mut self, raw: &RawLine<'_>) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(raw.bytes);
        let line = RawLine { bytes: &[], ..*raw };
        self.lines.push((begin..self.bytes.len(), line));
    }

    fn hand_out(&mut self, on_block: &mut impl FnMut(&[RawLine<'_>])) {
        let lines = self.lines.iter();
        let lines: Vec<RawLine<'_>> = lines
            .map(|(range, line)| RawLine {
                bytes: &self.bytes[range.clone()],
                ..*line
            })
            .collect();
        on_block(&lines);
        self.bytes.clear();
        self.lines.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::frame::scan;

    #[test]
    fn blocks_have_every_line_once_and_as_it_is() {
        let mut ledger = Vec::new();
        for number in 0..60_000 {
            ledger.extend_from_slice(
                format!("line {number}{}\n", "x".repeat(number % 200)).as_bytes(),
            );
        }
        ledger.extend_from_slice(&vec![b'y'; 2 * BLOCK]);
        ledger.extend_from_slice(b"\ntail");
        let seen = |raw: &RawLine<'_>| {
            let RawLine {
                number,
                ordinal: _,
                offset,
                bytes,
                terminated,
                oversized,
            } = *raw;
            (number, offset, bytes.to_vec(), terminated, oversized)
        };
        let mut single = Vec::new();
        let one = scan(&ledger[..], |raw| single.push(seen(&raw))).unwrap();
        let (mut many, mut blocks) = (Vec::new(), 0);
        let other = scan_blocks(Extent::EMPTY, &ledger[..], |lines| {
            many.extend(lines.iter().map(seen));
            blocks += 1;
        });
        assert!(single == many && one == other.unwrap());
        assert!(blocks > 2, "{blocks}");
        many.clear();
        let reader = Mutex::new(&ledger[..]);
        let other = alone(Extent::EMPTY, reader, |lines| {
            many.extend(lines.iter().map(seen))
        });
        assert!(single == many && one == other.unwrap());
    }
}
