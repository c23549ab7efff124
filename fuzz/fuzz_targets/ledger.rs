//! A whole ledger: replay never panics, is a function of the bytes, only ever adds to what a
//! shorter ledger said, and agrees with applying the same events one by one.
#![no_main]

use goal_core::domain::id::EventId;
use goal_core::domain::replay::apply;
use goal_core::domain::state::State;
use goal_core::domain::wire::prev_of;
use goal_core::ledger::chain::{LineLinks, LinePlace};
use goal_ledger_fuzz::{Read, each_line, read};
use libfuzzer_sys::fuzz_target;

/// Reading every beginning of a ledger is quadratic; the last ones have the most before them.
const MOST_PREFIXES: usize = 3;

fuzz_target!(|ledger: &[u8]| {
    let whole = read(ledger);
    assert_eq!(shown(&whole.state), shown(&read(ledger).state));
    assert_applied_one_by_one(&whole);
    assert_links(ledger, &whole);

    let mut before = read(b"");
    let skipped = whole.lines.len().saturating_sub(MOST_PREFIXES);
    for line in whole.lines.iter().skip(skipped) {
        let after = read(&ledger[..line.end]);
        assert_goes_on(&before, &after);
        before = after;
    }
});

fn shown(state: &State) -> String {
    format!("{state:?}")
}

/// The transition function of live writes is that of replay.
fn assert_applied_one_by_one(whole: &Read) {
    if whole.state.merged.is_some() {
        return;
    }
    let mut state = State {
        last: whole.state.last,
        tip: whole.state.tip,
        heads: whole.state.heads.clone(),
        latest: whole.state.latest.clone(),
        mixed: whole.state.mixed,
        second_copies: whole.state.second_copies.clone(),
        ..State::default()
    };
    for (line, event) in &whole.applied {
        apply(&mut state, event, *line);
    }
    assert_eq!(shown(&state), shown(&whole.state));
}

/// What was, stays: statuses that are final, unless our creation replaces what other programs
/// wrote, goals in their order, findings.
fn assert_goes_on(before: &Read, after: &Read) {
    // What had not seen each other comes in another order once more of it is there.
    if after.state.merged.is_some() {
        return;
    }
    for was in before.state.goals.values() {
        let id = &was.id;
        let is = &after.state.goals[id];
        let replaced = is.created_by_us && !was.created_by_us;
        assert!(
            was.status.is_open() || is.status == was.status || replaced,
            "{id}"
        );
        assert_eq!(is.ordinal, was.ordinal, "{id}");
    }
    let kept = &after.diagnostics[..before.diagnostics.len()];
    assert_eq!(kept, &*before.diagnostics);
    assert!(after.applied.starts_with(&before.applied));
}

/// Checking links accepts anything, and knows no line that the reader does not.
fn assert_links(ledger: &[u8], whole: &Read) {
    let mut chain = LineLinks::new();
    each_line(ledger, |raw| {
        if !raw.oversized {
            let id = EventId::of_line(raw.bytes);
            chain.push(LinePlace::of(raw), id, prev_of(raw.bytes), &[]);
        }
    });
    let broken = chain.report().broken.len();
    assert!(broken <= whole.lines.len());
}
