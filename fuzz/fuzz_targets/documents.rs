//! Goal documents of both styles: whatever is read, an edit of the header keeps everything else,
//! and Notes are carried over byte for byte.
#![no_main]

use goal_ledger::documents::compose::{Scalar, compose};
use goal_ledger::documents::facts::facts;
use goal_ledger::documents::header::{Style, parts, style};
use goal_ledger::documents::splice::{HeaderChange, HeaderStatus, edit};
use goal_ledger::documents::{legacy, notes, ours, sections};
use goal_ledger::render::escape::{escape, unescape};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

/// The keys that an edit may change.
const EDITED: [&str; 6] = [
    "status",
    "autoContinue",
    "updatedAt",
    "stopReason",
    "pauseReason",
    "pauseSuggestedAction",
];

fuzz_target!(|text: &str| {
    let _ours = ours::parse(text);
    let _contract = sections::contract_from(text);
    let _edited = notes::is_edited(text);
    if let Ok(legacy) = legacy::parse(text) {
        let _facts = facts(&legacy, false, "a document");
    }
    if style(text) == Style::BareJson {
        let options = text.len();
        assert_edit(text, &change(options, text));
    }
    assert_notes_carried(text);
});

/// A change made of the document's own text, which is as odd as any.
fn change(options: usize, text: &str) -> HeaderChange {
    let said = |bit: usize| (options & bit != 0).then(|| text.to_owned());
    let paused = options & 8 != 0;
    HeaderChange {
        status: if paused {
            HeaderStatus::Paused
        } else {
            HeaderStatus::Active
        },
        auto_continue: !paused,
        stop_reason: said(1),
        pause_reason: said(2),
        pause_suggested_action: said(4),
        updated_at: "2026-01-01T00:00:00.000Z".into(),
    }
}

fn assert_edit(text: &str, change: &HeaderChange) {
    let Ok(edited) = edit(text, change) else {
        return;
    };
    assert_eq!(edit(&edited, change).as_ref(), Ok(&edited), "twice is once");
    let (was, is) = (
        parts(text).expect("it was edited"),
        parts(&edited).expect("it still is a document"),
    );
    assert_eq!(text[was.body], edited[is.body], "the body");
    assert_eq!(text[..was.header.start], edited[..is.header.start]);

    let (before, after) = (object(&text[was.header]), object(&edited[is.header]));
    let others = |map: &Map<String, Value>| {
        let mut map = map.clone();
        map.retain(|key, _| !EDITED.contains(&key.as_str()));
        map
    };
    assert_eq!(others(&before), others(&after), "other keys");
    let optional = |text: &Option<String>| text.clone().map(Value::from);
    let expected = [
        Some(match change.status {
            HeaderStatus::Active => "active".into(),
            HeaderStatus::Paused => "paused".into(),
        }),
        Some(change.auto_continue.into()),
        Some(change.updated_at.clone().into()),
        optional(&change.stop_reason),
        optional(&change.pause_reason),
        optional(&change.pause_suggested_action),
    ];
    for (key, value) in EDITED.into_iter().zip(expected) {
        assert_eq!(after.get(key), value.as_ref(), "{key}");
    }
}

fn object(header: &str) -> Map<String, Value> {
    serde_json::from_str(header).expect("a header is an object")
}

fn assert_notes_carried(text: &str) {
    let notes = notes::notes_of(text).unwrap_or(text);
    let body = escape(text);
    assert_eq!(unescape(&body), text);
    let pairs = [
        ("id", Scalar::Text("a")),
        ("title", Scalar::Text(text)),
        ("sisyphus", Scalar::Flag(true)),
    ];
    let document = compose(&pairs, &body, notes);
    assert_eq!(notes::notes_of(&document), Some(notes));
    assert!(!notes::is_edited(&document));
    let header = ours::parse(&document).expect("our own header");
    assert_eq!(header.title.as_deref(), Some(text));
}
