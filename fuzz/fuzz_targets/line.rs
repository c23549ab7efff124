//! One line of the ledger: decoding never panics, and a known event survives writing and reading.
#![no_main]

use goal_core::domain::event::{Event, Payload};
use goal_core::domain::line::RawLine;
use goal_core::domain::wire::{Decoded, decode, encode, prev_of};
use libfuzzer_sys::fuzz_target;

fn raw(bytes: &[u8], offset: u64, terminated: bool) -> RawLine<'_> {
    RawLine {
        number: 1, ordinal: 1,
        offset,
        bytes,
        terminated,
        oversized: false,
    }
}

fn read(bytes: &[u8], offset: u64, terminated: bool) -> Option<Event> {
    match decode(&raw(bytes, offset, terminated)) {
        Decoded::Event { event, .. } => Some(*event),
        Decoded::Blank | Decoded::Flawed(_) => None,
    }
}

fuzz_target!(|bytes: &[u8]| {
    // A line never holds its own end.
    if bytes.contains(&b'\n') {
        return;
    }
    let event = read(bytes, 7, true);
    assert_eq!(read(bytes, 7, false), event, "the end decides nothing");
    let first = read(bytes, 0, true);
    assert!(event.is_none() || first == event, "nor does the beginning");

    let Some(event) = event else { return };
    // Two readers of one thing: `verify` follows links without decoding events.
    assert_eq!(prev_of(bytes), event.envelope.prev);
    if matches!(event.payload, Payload::Unknown(_)) {
        return;
    }
    let Ok(written) = encode(&event) else { return };
    let again = read(written.as_bytes(), 7, true);
    assert_eq!(again.as_ref(), Some(&event), "{written}");
    assert_eq!(encode(&event).as_ref(), Ok(&written));
});
