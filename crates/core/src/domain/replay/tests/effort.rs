//! What replay does at most: a small ledger must not keep it busy, whoever wrote it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::diagnostic::Code;
use crate::domain::id::EventId;
use crate::domain::line::{LineRef, Source};
use crate::domain::replay::{Replay, Replayed, whole};
use crate::domain::testing::Ledger;

/// A ledger that counts how often one of its lines is read again.
#[derive(Debug)]
struct Counting {
    ledger: Ledger,
    reads: AtomicUsize,
}

impl Source for Counting {
    fn read(&self, line: LineRef) -> Option<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Some(self.ledger.read(line).to_vec())
    }
}

fn replay(ledger: &Ledger) -> (Replayed, usize) {
    let source = Arc::new(Counting {
        ledger: ledger.clone(),
        reads: AtomicUsize::new(0),
    });
    let lines = Arc::clone(&source) as Arc<dyn Source>;
    let replayed = whole(
        &*lines,
        || Replay::new(Arc::clone(&lines)),
        |on_line| {
            ledger.lines().iter().for_each(on_line);
            Ok::<_, Infallible>(())
        },
    );
    let Ok((replayed, ())) = replayed;
    (replayed, source.reads.load(Ordering::Relaxed))
}

/// Notes, of which each names the one before it or, beside each other, all the same line.
fn notes(count: usize, beside: bool) -> Ledger {
    let mut ledger = Ledger::default();
    let mut prev = match beside {
        true => "a".repeat(32),
        false => EventId::ZERO.to_string(),
    };
    for number in 0..count {
        let line = format!(
            r#"{{"type":"goal_noted","goalId":"g","note":"n{number:06}","at":"t","prev":"{prev}"}}"#
        );
        ledger.append(&line);
        if !beside {
            prev = EventId::of_line(line.as_bytes()).to_string();
        }
    }
    ledger
}

#[test]
fn a_chain_is_not_read_again_and_what_has_to_be_put_in_order_once() {
    assert_eq!(replay(&notes(2_000, false)).1, 0);
    assert_eq!(replay(&notes(2_000, true)).1, 2_000);
}

#[test]
fn a_line_that_stands_twice_is_read_once_more() {
    let mut ledger = notes(90, false);
    let first = ledger.clone();
    ledger.bytes.extend_from_slice(&first.bytes);
    let (replayed, reads) = replay(&ledger);
    let twice = replayed.diagnostics.iter();
    let twice = twice.filter(|found| found.code == Code::DuplicateLine);
    assert_eq!((twice.count(), reads), (90, 90));
}

#[test]
fn requests_with_one_key_are_read_a_few_times_however_many_there_are() {
    let mut ledger = notes(1, false);
    let base = EventId::of_line(ledger.lines()[0].bytes);
    for branch in ["a", "b"] {
        let mut prev = base;
        for number in 0..1_000 {
            let line = format!(
                r#"{{"type":"goal_noted","goalId":"g","note":"{branch}{number}","at":"t","requestKey":"k","prev":"{prev}"}}"#
            );
            ledger.append(&line);
            prev = EventId::of_line(line.as_bytes());
            // Else they would be one write.
            let line = format!(
                r#"{{"type":"question_asked","goalId":"g","questionId":"q{number}","kind":"info","question":"?","at":"{number}","requestKey":"k","prev":"{prev}"}}"#
            );
            ledger.append(&line);
            prev = EventId::of_line(line.as_bytes());
        }
    }
    let (replayed, reads) = replay(&ledger);
    let repeated = replayed.diagnostics.all();
    assert!(
        repeated >= 2_000 && reads <= 3 * 4_001,
        "{repeated} {reads}"
    );
}
