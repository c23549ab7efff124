//! Replaying many lines: one processor looks ahead while another applies.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::domain::line::RawLine;
use crate::domain::replay::Replay;
use crate::domain::wire::{LineHeader, header};

/// How many lines are looked at in one go.
const STRETCH: usize = 128;

/// Takes the next lines of the file. Whoever has nothing to apply looks at the next stretch of
/// them, and so does a second thread, if one is to be had.
pub fn push_all(replay: &mut Replay<'_>, lines: &[RawLine<'_>]) {
    let ahead = Ahead::new(lines);
    thread::scope(|scope| {
        let look = || while ahead.look() {};
        let _or_alone = thread::Builder::new().spawn_scoped(scope, look);
        for (stretch, lines) in ahead.stretches() {
            while stretch.get().is_none() && ahead.look() {}
            // Whoever else looks at it has seen it in a moment.
            let seen = stretch.get_or_init(|| look_at(lines));
            for (raw, line_header) in lines.iter().zip(seen) {
                replay.see(raw, line_header);
            }
        }
    });
}

fn look_at<'a>(lines: &[RawLine<'a>]) -> Vec<LineHeader<'a>> {
    lines.iter().map(header).collect()
}

/// Lines that are looked at, stretch by stretch.
struct Ahead<'a> {
    lines: &'a [RawLine<'a>],
    seen: Vec<OnceLock<Vec<LineHeader<'a>>>>,
    /// The first stretch that nobody looks at.
    next: AtomicUsize,
}

impl<'a> Ahead<'a> {
    fn new(lines: &'a [RawLine<'a>]) -> Ahead<'a> {
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

    fn stretches(
        &self,
    ) -> impl Iterator<Item = (&OnceLock<Vec<LineHeader<'a>>>, &'a [RawLine<'a>])> {
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
        let pinned = include_str!("../../fixtures/events/every_variant.jsonl").lines();
        let lines: Vec<&str> = pinned.chain(odd).cycle().take(400).collect();
        let ledger = lines.join("\n").into_bytes();
        let mut one = Replay::new(Rc::new(ledger.clone()));
        let mut all = Replay::new(Rc::new(ledger.clone()));
        scan(&ledger[..], |raw| one.push(&raw)).unwrap();
        scan_blocks(Extent::EMPTY, &ledger[..], |lines| {
            push_all(&mut all, lines)
        })
        .unwrap();
        assert_eq!(format!("{:?}", all.finish()), format!("{:?}", one.finish()));
    }
}
