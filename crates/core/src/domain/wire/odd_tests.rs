//! Lines that programs write wrongly, against a naive reading of the same bytes.

use proptest::prelude::*;

use crate::domain::line::RawLine;
use crate::domain::wire::{Decoded, decode, encode};

const EVERY_VARIANT: &str = include_str!("../../../../../fixtures/events/every_variant.jsonl");
const FOREIGN: &str = include_str!("../../../../../fixtures/events/foreign.jsonl");

/// Values as they stand in a line, most of them odd.
const VALUES: [&str; 33] = [
    "null",
    "true",
    "false",
    "tru",
    "0",
    "-1",
    "3.0",
    "3.5",
    "01",
    "1 ",
    "\"\"",
    "\"a\"",
    "\"user\"",
    "\"goal_noted\"",
    "\"approved\"",
    "\"00112233445566778899aabbccddeeff\"",
    "\" \"",
    r#""\u0020\t""#,
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
            1 => (1_usize..100).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth)),
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

/// What a line says of its texts; nothing where it is no JSON object.
fn naive(line: &str) -> Option<impl Fn(&str) -> Option<String>> {
    let repaired = encode::repair(line).unwrap_or_else(|| line.to_owned());
    let value: serde_json::Value = serde_json::from_str(&repaired).ok()?;
    let object = value.as_object()?.clone();
    Some(move |name: &str| object.get(name)?.as_str().map(str::to_owned))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_line_is_read_as_a_naive_reader_reads_it(
        line in prop_oneof![odd_line().prop_map(String::into_bytes), damaged_line()],
    ) {
        let raw = RawLine { number: 2, ordinal: 2, offset: 100, bytes: &line, terminated: true, oversized: false };
        let text = String::from_utf8_lossy(&line).into_owned();
        let naive = std::str::from_utf8(&line).ok().and_then(naive);
        match (decode(&raw), naive) {
            (Decoded::Event { event, .. }, Some(naive)) => {
                prop_assert_eq!(Some(event.payload.name().to_owned()), naive("type"), "{}", text);
                prop_assert_eq!(Some(event.at), naive("at"), "{}", text);
                let envelope = event.envelope;
                let named = ["session", "turn", "via", "requestKey"].map(&naive);
                let read = [envelope.session, envelope.turn, envelope.via, envelope.request_key];
                prop_assert_eq!(read, named, "{}", &text);
                let goal = event.goal_id.map(|it| it.to_string());
                prop_assert!(goal.is_none() || goal == naive("goalId"), "{}", text);
            }
            (Decoded::Event { .. }, None) => prop_assert!(false, "no JSON: {text}"),
            // What is wrong with such lines has tests of its own.
            (Decoded::Blank | Decoded::Flawed(_), _) => {}
        }
    }
}
