//! What several targets need: bytes read as a ledger, and what no shown text may hold.

use std::ops::Range;

use goal_core::domain::diagnostic::{Code, Diagnostic};
use goal_core::domain::event::Event;
use goal_core::domain::findings::Findings;
use goal_core::domain::line::{LineRef, RawLine};
use goal_core::domain::state::State;
use goal_core::domain::wire::{Decoded, decode};
use goal_core::ledger::frame;
use goal_core::reading::replay_bytes;

/// What came of reading a ledger.
pub struct Read {
    pub state: State,
    pub diagnostics: Findings,
    /// The events that replay applied, each with its line.
    pub applied: Vec<(LineRef, Event)>,
    /// Where each line lies, its line end included.
    pub lines: Vec<Range<usize>>,
}

/// Frames and replays a whole ledger.
pub fn read(ledger: &[u8]) -> Read {
    let mut applied = Vec::new();
    let mut lines = Vec::new();
    each_line(ledger, |raw| {
        let start = offset(raw);
        // The place of an oversized line's end is only known from the next one.
        if let Some(last) = lines.last_mut() {
            let last: &mut Range<usize> = last;
            last.end = start;
        }
        lines.push(start..ledger.len());
        if let Decoded::Event { event, .. } = decode(raw) {
            applied.push((LineRef::from(*raw), *event));
        }
    });
    let replayed = replay_bytes(ledger);
    let (state, diagnostics) = (replayed.state, replayed.diagnostics);
    let twice = |line: LineRef| {
        let is = |it: &Diagnostic| it.code == Code::DuplicateLine && it.line == Some(line.number);
        diagnostics.iter().any(is)
    };
    applied.retain(|(line, _)| !twice(*line));
    Read {
        state,
        diagnostics,
        applied,
        lines,
    }
}

/// Hands out every line of a ledger as the reader frames it.
pub fn each_line(ledger: &[u8], mut on_line: impl FnMut(&RawLine<'_>)) {
    frame::scan(ledger, |raw| on_line(&raw)).expect("reading from memory cannot fail");
}

/// The bytes of a line that was read before.
pub fn bytes_of(ledger: &[u8], line: LineRef) -> Option<Vec<u8>> {
    let start = usize::try_from(line.offset).ok()?;
    Some(ledger.get(start..start + line.len as usize)?.to_vec())
}

/// Where a line begins.
pub fn offset(raw: &RawLine<'_>) -> usize {
    usize::try_from(raw.offset).expect("the ledger lies in memory")
}

/// Fails when a text holds what could steer a terminal or hide what it says.
pub fn assert_visible(what: &str, text: &str) {
    let hidden = |c: char| match c {
        '\n' | '\t' => false,
        c => c.is_control() || "\u{202e}\u{2066}\u{200b}\u{2028}\u{feff}".contains(c),
    };
    assert!(!text.contains(hidden), "{what}: {text:?}");
}
