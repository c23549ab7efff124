//! Replaying many lines: one processor looks ahead while another applies.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::domain::id::EventId;
use crate::domain::line::RawLine;
use crate::domain::replay::Replay;
use crate::domain::wire::{LineHeader, header};

/// How many lines are looked at in one go.
const STRETCH: usize = 128;

/// Takes the next lines of the file.
pub fn push_all(replay: &mut Replay<'_>, lines: &[RawLine<'_>]) {
    look_ahead(lines, |raw, (line_header, id)| {
        replay.see(raw, line_header, *id);
    });
}

/// Hands out each line with what is to be known of it. Whoever has nothing to take looks at the next
/// stretch of them, and so does a second thread, if one is to be had.
pub fn look_ahead<'a>(lines: &[RawLine<'a>], mut take: impl FnMut(&RawLine<'a>, &Seen<'a>)) {
    let ahead = Ahead::new(lines);
    thread::scope(|scope| {
        let look = || while ahead.look() {};
        let _or_alone = thread::Builder::new().spawn_scoped(scope, look);
        for (stretch, lines) in ahead.stretches() {
            while stretch.get().is_none() && ahead.look() {}
            // Whoever else looks at it has seen it in a moment.
            let seen = stretch.get_or_init(|| look_at(lines));
            for (raw, seen) in lines.iter().zip(seen) {
                take(raw, seen);
            }
        }
    });
}

/// What replay has to know of a line.
pub type Seen<'a> = (LineHeader<'a>, EventId);

fn look_at<'a>(lines: &[RawLine<'a>]) -> Vec<Seen<'a>> {
    let lines = lines.iter();
    lines
        .map(|raw| (header(raw), EventId::of_line(raw.bytes)))
        .collect()
}

/// Lines that are looked at, stretch by stretch.
struct Ahead<'l, 'a> {
    lines: &'l [RawLine<'a>],
    seen: Vec<OnceLock<Vec<Seen<'a>>>>,
    /// The first stretch that nobody looks at.
    next: AtomicUsize,
}

impl<'l, 'a> Ahead<'l, 'a> {
    fn new(lines: &'l [RawLine<'a>]) -> Ahead<'l, 'a> {
        let stretches = lines.chunks(STRETCH);
        Ahead {
            lines,
            seen: stretches.map(|_| OnceLock::new()).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// Looks at the next stretch; false when there is none left.
    fn look(&self) -> bool {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let Some((seen, lines)) = self.stretches().nth(at) else {
            return false;
        };
        seen.get_or_init(|| look_at(lines));
        true
    }

    fn stretches(&self) -> impl Iterator<Item = (&OnceLock<Vec<Seen<'a>>>, &'l [RawLine<'a>])> {
        self.seen.iter().zip(self.lines.chunks(STRETCH))
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::ledger::blocks::scan_blocks;
    use crate::ledger::frame::{Extent, scan};

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
        let mut one = Replay::new(Rc::new(ledger.clone()));
        let mut all = Replay::new(Rc::new(ledger.clone()));
        scan(&ledger[..], |raw| one.push(&raw)).unwrap();
        scan_blocks(Extent::EMPTY, &ledger[..], |lines| {
            push_all(&mut all, lines)
        })
        .unwrap();
        assert!(!one.is_stray());
        assert_eq!(format!("{:?}", all.pause()), format!("{:?}", one.pause()));
    }
}
