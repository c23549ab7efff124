//! The quick way through a line against the strict one: what it takes it reads the same.

use proptest::prelude::*;

use crate::domain::event::{Event, Payload};
use crate::domain::event_header::EventHeader;
use crate::domain::line::RawLine;
use crate::domain::wire::decode::{quick, quick_header};
use crate::domain::wire::flat::Scratch;
use crate::domain::wire::{Decoded, decode};

const EVERY_VARIANT: &str = include_str!("../../../fixtures/events/every_variant.jsonl");
const FOREIGN: &str = include_str!("../../../fixtures/events/foreign.jsonl");

/// What the strict decoder makes of a line: the quick way takes none that begins with a space.
fn strict(line: &[u8]) -> Option<Event> {
    let spaced = [b" ", line].concat();
    assert!(quick(&spaced).is_none());
    let raw = RawLine {
        number: 2,
        offset: 100,
        bytes: &spaced,
        terminated: true,
        oversized: false,
    };
    match decode(&raw) {
        Decoded::Event { event, .. } => Some(*event),
        Decoded::Blank | Decoded::Flawed(_) => None,
    }
}

#[test]
fn every_line_as_programs_write_it_is_taken() {
    for line in EVERY_VARIANT.lines().chain(FOREIGN.lines()) {
        let taken = quick(line.as_bytes());
        let strict = strict(line.as_bytes());
        let is_known = |it: &Event| !matches!(it.payload, Payload::Unknown(_));
        assert_eq!(taken, strict.filter(is_known), "{line}");
        assert_eq!(
            quick_header(line.as_bytes(), &mut Scratch::default()),
            taken.as_ref().map(EventHeader::of)
        );
    }
}

/// Values as they stand in a line, most of them odd.
const VALUES: [&str; 30] = [
    "null",
    "true",
    "false",
    "tru",
    "0",
    "-1",
    "3.0",
    "3.5",
    "1e999",
    "01",
    "1 ",
    "\"\"",
    "\"a\"",
    "\"user\"",
    "\"goal_noted\"",
    r#""a\nb""#,
    r#""\u0041""#,
    r#""\ud83d""#,
    r#""\ud83d\ude00""#,
    r#""\x""#,
    "\"é\"",
    "[]",
    "[\"a\"]",
    "[\"a\",]",
    "[}",
    "{}",
    "{\"a\":1}",
    "{\"a\"}",
    "{\"id\":\"1\",\"title\":\"t\"}",
    "",
];

/// A pinned line in which fields have other values, stand twice, or are of nobody's making.
fn odd_line() -> impl Strategy<Value = String> {
    let lines: Vec<&str> = EVERY_VARIANT.lines().chain(FOREIGN.lines()).collect();
    let value = || {
        prop_oneof![
            9 => prop::sample::select(VALUES.to_vec()).prop_map(str::to_owned),
            1 => (1_usize..200).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth)),
        ]
    };
    let edit = (any::<prop::sample::Index>(), 0_u8..3, value());
    let edits = prop::collection::vec(edit, 1..3);
    (prop::sample::select(lines), edits).prop_map(|(line, edits)| {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap_or_default();
        let mut fields: Vec<(String, String)> = object
            .into_iter()
            .map(|(name, value)| (name, value.to_string()))
            .collect();
        for (at, what, value) in edits {
            let at = at.index(fields.len());
            match what {
                0 => fields[at].1 = value,
                1 => fields.push((fields[at].0.clone(), value)),
                _ => fields.insert(at, ("nobodys".to_owned(), value)),
            }
        }
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    })
}

/// A pinned line with some bytes changed.
fn damaged_line() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<&str> = EVERY_VARIANT.lines().chain(FOREIGN.lines()).collect();
    let byte = prop_oneof![
        prop::sample::select(b"\"\\{}[]:,u \t\r".to_vec()),
        any::<u8>()
    ];
    let damage = prop::collection::vec((any::<prop::sample::Index>(), byte), 0..4);
    (prop::sample::select(lines), damage).prop_map(|(line, damage)| {
        let mut bytes = line.as_bytes().to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn what_is_taken_is_read_as_the_strict_decoder_does(
        line in prop_oneof![odd_line().prop_map(String::into_bytes), damaged_line()],
    ) {
        let text = String::from_utf8_lossy(&line).into_owned();
        let event = quick(&line);
        prop_assert_eq!(quick_header(&line, &mut Scratch::default()), event.as_ref().map(EventHeader::of), "{}", &text);
        if let Some(event) = event {
            prop_assert_eq!(Some(event), strict(&line), "{}", text);
        }
    }
}
