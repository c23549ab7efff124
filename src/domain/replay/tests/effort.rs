//! What replay does at most: a small ledger must not keep it busy, whoever wrote it.

use std::cell::Cell;
use std::rc::Rc;

use crate::domain::diagnostic::Code;
use crate::domain::line::{LineRef, Source};
use crate::domain::replay::{Replay, Replayed};
use crate::domain::testing::Ledger;

/// A ledger that counts how often one of its lines is read again.
#[derive(Debug)]
struct Counting {
    ledger: Ledger,
    reads: Cell<usize>,
}

impl Source for Counting {
    fn read(&self, line: LineRef) -> Option<Vec<u8>> {
        self.reads.set(self.reads.get() + 1);
        Some(self.ledger.read(line).to_vec())
    }
}

fn replay(ledger: &Ledger) -> (Replayed, usize) {
    let source = Rc::new(Counting {
        ledger: ledger.clone(),
        reads: Cell::new(0),
    });
    let mut replay = Replay::new(Rc::clone(&source) as Rc<dyn Source>);
    ledger.lines().iter().for_each(|raw| replay.push(raw));
    let replayed = replay.pause();
    (replayed, source.reads.get())
}

/// Notes that all name the same line before them.
fn alike(notes: usize) -> Ledger {
    let mut ledger = Ledger::default();
    let prev = "a".repeat(32);
    for number in 0..notes {
        ledger.append(&format!(
            r#"{{"type":"goal_noted","goalId":"g","note":"n{number:06}","at":"t","prev":"{prev}"}}"#
        ));
    }
    ledger
}

#[test]
fn lines_that_name_the_same_line_are_not_read_again() {
    let (_, reads) = replay(&alike(2_000));
    assert_eq!(reads, 0);
}

#[test]
fn a_line_that_stands_twice_is_read_once_more() {
    let mut ledger = alike(90);
    let first = ledger.clone();
    ledger.bytes.extend_from_slice(&first.bytes);
    let (replayed, reads) = replay(&ledger);
    let twice = replayed.diagnostics.iter();
    let twice = twice.filter(|found| found.code == Code::DuplicateLine);
    assert_eq!((twice.count(), reads), (90, 90));
}
