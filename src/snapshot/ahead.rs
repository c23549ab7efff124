//! Reading many lines: one processor looks ahead while another applies.

use std::io::{self, Read};
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::domain::id::EventId;
use crate::domain::line::RawLine;
use crate::domain::wire::{LineHeader, header};
use crate::ledger::frame::{Block, Blocks, Extent};

/// How many bytes of lines are read at once.
const BLOCK: usize = 1024 * 1024;

/// How many lines are looked at in one go: few, since at the end of a block one processor waits for
/// the last ones of the other.
const STRETCH: usize = 32;

/// What replay has to know of a line.
pub type Seen<'a> = (LineHeader<'a>, EventId);

/// Hands out the lines from behind the line end up to which `before` was read, where `reader` begins,
/// each with what is to be known of it. A second thread, if one is to be had, reads the next block
/// and then looks at lines, as does whoever has nothing to take. Memory: two blocks.
pub fn each_line(
    before: Extent,
    reader: impl Read + Send,
    mut take: impl FnMut(&RawLine<'_>, &Seen<'_>),
) -> io::Result<Extent> {
    let mut blocks = Blocks::of(BLOCK, before, reader);
    let (mut block, mut next) = (Block::default(), Block::default());
    let mut goes_on = blocks.next(&mut block)?;
    while goes_on {
        let ahead = Ahead::new(&block);
        let read = thread::scope(|scope| {
            let read = || {
                let read = blocks.next(&mut next);
                while ahead.look() {}
                read
            };
            let reading = thread::Builder::new().spawn_scoped(scope, read);
            ahead.hand_out(&mut take);
            let reading = reading.ok()?;
            Some(reading.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        goes_on = match read {
            Some(read) => read?,
            None => blocks.next(&mut next)?,
        };
        std::mem::swap(&mut block, &mut next);
    }
    Ok(blocks.extent)
}

/// The lines of a block that are looked at, stretch by stretch.
struct Ahead<'b> {
    block: &'b Block,
    seen: Vec<OnceLock<Vec<Seen<'b>>>>,
    /// The first stretch that nobody looks at.
    next: AtomicUsize,
}

impl<'b> Ahead<'b> {
    fn new(block: &'b Block) -> Ahead<'b> {
        let stretches = block.count().div_ceil(STRETCH);
        Ahead {
            block,
            seen: (0..stretches).map(|_| OnceLock::new()).collect(),
            next: AtomicUsize::new(0),
        }
    }

    fn lines(&self, stretch: usize) -> impl Iterator<Item = RawLine<'b>> {
        let begin = stretch * STRETCH;
        self.block
            .lines(begin..self.block.count().min(begin + STRETCH))
    }

    fn look_at(&self, stretch: usize) -> Vec<Seen<'b>> {
        let lines = self.lines(stretch);
        lines
            .map(|raw| (header(&raw), EventId::of_line(raw.bytes)))
            .collect()
    }

    /// Looks at the next stretch; false when there is none left.
    fn look(&self) -> bool {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if let Some(seen) = self.seen.get(at) {
            seen.get_or_init(|| self.look_at(at));
        }
        at < self.seen.len()
    }

    fn hand_out(&self, take: &mut impl FnMut(&RawLine<'_>, &Seen<'_>)) {
        for (at, stretch) in self.seen.iter().enumerate() {
            while stretch.get().is_none() && self.look() {}
            // Whoever else looks at it has seen it in a moment.
            let seen = stretch.get_or_init(|| self.look_at(at));
            for (raw, seen) in self.lines(at).zip(seen) {
                take(&raw, seen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::replay::Replay;
    use crate::ledger::frame::scan;

    #[test]
    fn many_lines_at_once_come_to_what_each_does() {
        let odd = [
            "",
            "{",
            "\u{feff}{}",
            "<<<<<<< ours",
            r#"{"type":"new","at":"t"}"#,
        ];
        // Of other programs, so that none of them strays.
        let pinned = include_str!("../../fixtures/events/every_variant.jsonl");
        let pinned = pinned.replace("\"prev\":", "\"was\":");
        let lines: Vec<&str> = pinned.lines().chain(odd).cycle().take(400).collect();
        let ledger = lines.join("\n").into_bytes();
        let mut one = Replay::new(Arc::new(ledger.clone()));
        let mut all = Replay::new(Arc::new(ledger.clone()));
        scan(&ledger[..], |raw| one.push(&raw)).unwrap();
        each_line(Extent::EMPTY, &ledger[..], |raw, (header, id)| {
            all.see(raw, header, *id);
        })
        .unwrap();
        assert!(!one.is_stray());
        assert_eq!(format!("{:?}", all.pause()), format!("{:?}", one.pause()));
    }

    #[test]
    fn every_line_is_handed_out_once_in_order_and_as_it_is() {
        let mut ledger = Vec::new();
        for number in 0..60_000 {
            let padding = "x".repeat(number % 200);
            ledger.extend_from_slice(format!("line {number}{padding}\n").as_bytes());
        }
        ledger.extend_from_slice(&vec![b'y'; 2 * BLOCK]);
        ledger.extend_from_slice(b"\ntail");
        let line = |raw: &RawLine<'_>| {
            let RawLine {
                number,
                ordinal,
                offset,
                bytes,
                terminated,
                oversized,
            } = *raw;
            let said = (number, ordinal, offset, terminated, oversized);
            (said, bytes.to_vec())
        };
        let (mut single, mut many) = (Vec::new(), Vec::new());
        let one = scan(&ledger[..], |raw| single.push(line(&raw))).unwrap();
        let other = each_line(Extent::EMPTY, &ledger[..], |raw, (_, id)| {
            assert_eq!(*id, EventId::of_line(raw.bytes));
            many.push(line(raw));
        });
        assert!(single == many && one == other.unwrap());
        assert!(ledger.len() > 5 * BLOCK, "{}", ledger.len());
    }
}
