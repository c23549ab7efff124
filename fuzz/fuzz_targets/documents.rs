//! Goal documents of both styles: whatever is read, and Notes are carried over byte for byte.
#![no_main]

use goal_ledger::internals::documents::compose::compose;
use goal_ledger::internals::documents::facts::{facts, overruled};
use goal_ledger::internals::documents::{legacy, notes, ours, sections};
use goal_ledger::internals::render::escape::{escape, unescape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ours = ours::parse(text);
    let _contract = sections::contract_from(text);
    let _edited = notes::is_edited(text);
    if let Ok(legacy) = legacy::parse(text) {
        let facts = facts(&legacy, false, "a document");
        let _facts = overruled(&facts, text, "a document");
    }
    assert_notes_carried(text);
});

fn assert_notes_carried(text: &str) {
    let notes = notes::notes_of(text).unwrap_or(text);
    let body = escape(text);
    assert_eq!(unescape(&body), text);
    let pairs = [
        ("id", "a".into()),
        ("title", text.into()),
        ("sisyphus", true.into()),
    ];
    let document = compose(&pairs, &body, notes);
    assert_eq!(notes::notes_of(&document), Some(notes));
    assert!(!notes::is_edited(&document));
    let header = ours::parse(&document).expect("our own header");
    assert_eq!(header.title.as_deref(), Some(text));
}
