//! Every variant there and back, the reading table of docs/ledger-format.md#reading, and bytes that
//! mean nothing.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::domain::event::{Envelope, Event, Payload};
use crate::domain::id::EventId;
use crate::domain::line::RawLine;
use crate::domain::task::spec::TaskSpec;
use crate::domain::testing::Ledger;
use crate::domain::wire::encode::MAX_TEXT;
use crate::domain::wire::{Decoded, Flaw, TooLarge, decode, encode, prev_of};

const EVERY_VARIANT: &str = include_str!("../../../../../fixtures/events/every_variant.jsonl");
const FOREIGN: &str = include_str!("../../../../../fixtures/events/foreign.jsonl");

fn raw(bytes: &[u8]) -> RawLine<'_> {
    RawLine {
        number: 2,
        ordinal: 2,
        offset: 100,
        bytes,
        terminated: true,
        oversized: false,
    }
}

#[track_caller]
fn event(line: &str) -> Event {
    match decode(&raw(line.as_bytes())) {
        Decoded::Event { event, .. } => *event,
        other => panic!("{line}\n{other:?}"),
    }
}

fn object(line: &str) -> Map<String, Value> {
    serde_json::from_str(line).unwrap()
}

/// `malformed_line`, `malformed_event FIELD`, `torn_tail` …, as replay calls them.
fn verdict(raw: &RawLine<'_>) -> String {
    match decode(raw) {
        Decoded::Event { untidy: true, .. } => "untidy_line".into(),
        Decoded::Event { event, .. } if matches!(event.payload, Payload::Unknown(_)) => {
            "unknown_event".into()
        }
        Decoded::Event { .. } => "applied".into(),
        Decoded::Blank => "blank".into(),
        Decoded::Flawed(Flaw::Malformed(_)) => "malformed_line".into(),
        Decoded::Flawed(Flaw::BadEvent(error)) => format!("malformed_event {}", error.field),
        Decoded::Flawed(Flaw::Torn) => "torn_tail".into(),
        Decoded::Flawed(Flaw::ConflictMarker) => "conflict_marker".into(),
    }
}

#[test]
fn every_variant_is_written_as_it_was_pinned() {
    let mut names = Vec::new();
    for line in EVERY_VARIANT.lines() {
        let event = event(line);
        assert!(!matches!(event.payload, Payload::Unknown(_)), "{line}");
        assert_eq!(encode(&event).unwrap(), line);
        names.push(event.payload.name().to_owned());
    }
    assert_eq!(names, Payload::NAMES);
}

#[test]
fn a_foreign_line_loses_nothing_on_its_way() {
    for line in FOREIGN.lines() {
        let event = event(line);
        assert!(!event.envelope.is_ours());
        if !matches!(event.payload, Payload::Unknown(_)) {
            assert_eq!(encode(&event).unwrap(), line);
        }
    }
}

#[test]
fn the_pinned_lines_have_every_field_in_the_order_of_the_format() {
    let schemas = Payload::schemas();
    for (line, (name, schema)) in EVERY_VARIANT.lines().zip(schemas) {
        let object = object(line);
        let keys: Vec<&str> = object.keys().map(String::as_str).collect();
        let payload = keys.len() - Envelope::NAMES.len() - 1;
        let start = 1 + usize::from(object.contains_key("goalId"));
        assert_eq!(keys[0], "type");
        assert_eq!(object["type"], name);
        assert_eq!(keys[start - 1], if start == 2 { "goalId" } else { "type" });
        assert_eq!(keys[payload], "at");
        assert_eq!(keys[payload + 1..], Envelope::NAMES);
        let written: BTreeSet<&str> = keys[start..payload].iter().copied().collect();
        let schema = serde_json::to_value(schema).unwrap();
        let properties = schema["properties"].as_object().cloned();
        let properties = properties.unwrap_or_default();
        let known: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        assert_eq!(written, known, "{name}");
    }
}

#[test]
fn no_payload_uses_a_reserved_name() {
    for (name, schema) in Payload::schemas() {
        let schema = serde_json::to_value(schema).unwrap();
        let properties = schema["properties"].as_object().cloned();
        for field in properties.unwrap_or_default().keys() {
            let reserved = Envelope::NAMES.contains(&field.as_str())
                || ["type", "goalId", "at"].contains(&field.as_str());
            assert!(!reserved, "{name} has a field `{field}`");
        }
    }
}

#[test]
fn required_fields_are_those_without_which_an_event_is_malformed() {
    for (line, (name, schema)) in EVERY_VARIANT.lines().zip(Payload::schemas()) {
        let schema = serde_json::to_value(schema).unwrap();
        let required: Vec<&str> = schema["required"]
            .as_array()
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let whole = object(line);
        for field in whole.keys().filter(|field| *field != "goalId") {
            let expected = match required.contains(&field.as_str()) || field == "at" {
                true => format!("malformed_event {field}"),
                false if field == "type" => "malformed_event type".into(),
                false => "applied".into(),
            };
            let mut without = whole.clone();
            without.remove(field);
            let text = Value::Object(without).to_string();
            assert_eq!(
                verdict(&raw(text.as_bytes())),
                expected,
                "{name}: no {field}"
            );
            let mut null = whole.clone();
            null.insert(field.clone(), Value::Null);
            // Anything can be a piece of evidence, an answer or a predicate, even nothing.
            if !["value", "answer", "predicate"].contains(&field.as_str()) {
                let text = Value::Object(null).to_string();
                assert_eq!(
                    verdict(&raw(text.as_bytes())),
                    expected,
                    "{name}: {field} null"
                );
            }
        }
    }
}

#[test]
fn the_reading_table() {
    const NOTED: &str = r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t"}"#;
    let deep = format!(
        r#"{{"type":"x","at":"t","deep":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let rows: &[(&[u8], &str)] = &[
        (NOTED.as_bytes(), "applied"),
        (br#" {"goalId":"a","at":"t","note":"n","type":"goal_noted"} "#, "applied"),
        (br#"{"type":"never_heard_of","at":"t","goalId":"../x"}"#, "unknown_event"),
        (br#"{"type":"never_heard_of"}"#, "malformed_event at"),
        (br#"{"type":"goal_noted","goalId":"a","at":"t"}"#, "malformed_event note"),
        (br#"{"type":"goal_noted","goalId":"a","note":3,"at":"t"}"#, "malformed_event note"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n"}"#, "malformed_event at"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","at":1}"#, "malformed_event at"),
        (br#"{"type":["goal_noted"],"at":"t"}"#, "malformed_event type"),
        (br#"{"goalId":"a","at":"t"}"#, "malformed_event type"),
        (br#"{"type":"goal_noted","note":"n","at":"t"}"#, "malformed_event goalId"),
        (br#"{"type":"goal_noted","goalId":null,"note":"n","at":"t"}"#, "malformed_event goalId"),
        (br#"{"type":"goal_noted","goalId":"../x","note":"n","at":"t"}"#, "malformed_event goalId"),
        (br#"{"type":"goal_noted","goalId":"/etc","note":"n","at":"t"}"#, "malformed_event goalId"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","note":"m","at":"t"}"#, "malformed_event note"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","at":"t","at":"u"}"#, "malformed_event at"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","at":"t","at":"u","next":[}"#, "malformed_line"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","at":1e999}"#, "malformed_event at"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","at":"t","session":1e999}"#, "applied"),
        (br#"{"type":"goal_noted","goalId":"a","note":"n","next":7,"by":"nobody","prev":"x","at":"t"}"#, "applied"),
        (br#"{"type":"goal_noted","goalId":"a","note":"cut \ud83d","at":"t"}"#, "applied"),
        (br#"{"type":"goal_escalated","goalId":"a","reason":"r","scoreBefore":1,"at":"t"}"#, "applied"),
        (br#"{"type":"goal_escalated","goalId":"a","reason":"r","scoreBefore":1e999,"at":"t"}"#, "malformed_event scoreBefore"),
        (br#"{"type":"goal_escalated","goalId":"a","reason":"r","scoreBefore":1.000001,"at":"t"}"#, "malformed_event scoreBefore"),
        (br#"{"type":"progress_evaluated","goalId":"a","score":60,"gapAnalysis":"g","shouldEscalate":false,"at":"t"}"#, "malformed_event score"),
        (br#"{"type":"progress_evaluated","goalId":"a","score":-0.1,"gapAnalysis":"g","shouldEscalate":false,"at":"t"}"#, "malformed_event score"),
        (br#"{"type":"progress_evaluated","goalId":"a","score":-0.0,"gapAnalysis":"g","shouldEscalate":false,"at":"t"}"#, "applied"),
        (br#"{"type":"progress_evaluated","goalId":"a","score":NaN,"gapAnalysis":"g","shouldEscalate":false,"at":"t"}"#, "malformed_line"),
        (br#"{"type":"task_list_set","goalId":"a","taskCount":3.0,"blockCompletion":true,"at":"t"}"#, "applied"),
        (br#"{"type":"task_list_set","goalId":"a","taskCount":3.5,"blockCompletion":true,"at":"t"}"#, "malformed_event taskCount"),
        (br#"{"type":"audit_result","goalId":"a","verdict":"maybe","report":"r","at":"t"}"#, "malformed_event verdict"),
        (deep.as_bytes(), "unknown_event"),
        (b"[1]", "malformed_line"),
        (b"\"text\"", "malformed_line"),
        (b"not json", "malformed_line"),
        (br#"{"type":"goal_noted","goalId":"a","#, "malformed_line"),
        (br#"{"type":"x","at":"t"}{"type":"x","at":"t"}"#, "malformed_line"),
        (b"{\"type\":\"x\",\"at\":\"t\xFF\"}", "malformed_line"),
        (b"{\"type\":\"x\",\"at\":\"t\0\"}", "malformed_line"),
        (b"\xEF\xBB\xBF{\"type\":\"x\",\"at\":\"t\"}", "malformed_line"),
        (b"{\"type\":\"x\",\"at\":\"t\"}\r", "untidy_line"),
        (b"", "blank"),
        (b" \t\r", "blank"),
        (b"<<<<<<< HEAD", "conflict_marker"),
        (b"=======\r", "conflict_marker"),
        (b">>>>>>> other branch", "conflict_marker"),
        (b"||||||| base", "conflict_marker"),
        (b"<<<<<<<<", "malformed_line"),
    ];
    for (bytes, expected) in rows {
        assert_eq!(
            verdict(&raw(bytes)),
            *expected,
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn the_place_in_the_file_matters() {
    let first = RawLine {
        offset: 0,
        number: 1,
        ordinal: 1,
        ..raw(b"\xEF\xBB\xBF{\"type\":\"x\",\"at\":\"t\"}\r")
    };
    assert_eq!(verdict(&first), "untidy_line");
    let last = |bytes| RawLine {
        terminated: false,
        ..raw(bytes)
    };
    assert_eq!(verdict(&last(b"{\"type\":\"goal_no")), "torn_tail");
    assert_eq!(verdict(&last(b"\0\0\0")), "torn_tail");
    assert_eq!(
        verdict(&last(b"{\"type\":\"x\",\"at\":\"t\"}")),
        "unknown_event"
    );
    assert_eq!(verdict(&last(b"{\"type\":\"x\"}")), "malformed_event at");
    assert_eq!(verdict(&last(b">>>>>>> branch")), "conflict_marker");
    let oversized = RawLine {
        oversized: true,
        ..raw(b"")
    };
    assert_eq!(verdict(&oversized), "malformed_line");
}

#[test]
fn a_lone_surrogate_costs_no_field() {
    let event = event(
        r#"{"type":"completion_requested","goalId":"a","summary":"cut \ud83d","at":"t","session":"\udc00"}"#,
    );
    let Payload::CompletionRequested(request) = event.payload else {
        panic!("another type");
    };
    assert_eq!(request.summary.as_deref(), Some("cut \u{FFFD}"));
    assert_eq!(event.envelope.session.as_deref(), Some("\u{FFFD}"));
}

#[test]
fn a_task_tree_may_be_deep_but_not_bottomless() {
    let tree = |depth: usize| {
        let open = r#"{"id":"t","title":"t","tasks":["#.repeat(depth);
        format!(
            r#"{{"type":"task_added","goalId":"a","tasks":[{open}{}],"at":"t"}}"#,
            "]}".repeat(depth)
        )
    };
    assert_eq!(verdict(&raw(tree(20).as_bytes())), "applied");
    let reason = verdict(&raw(tree(5000).as_bytes()));
    assert!(reason.starts_with("malformed_event tasks"), "{reason}");
}

#[test]
fn the_link_is_read_whatever_else_is_wrong() {
    let id = EventId::of_line(b"x");
    for line in [
        format!(r#"{{"type":3,"prev":"{id}"}}"#),
        format!("\u{FEFF}{{\"prev\":\"{id}\"}}\r"),
        format!(r#"{{"prev":"{id}","report":"cut \ud83d"}}"#),
        format!(r#"{{"\ud83d":1,"prev":"{id}"}}"#),
    ] {
        assert_eq!(prev_of(line.as_bytes()), Some(id), "{line}");
    }
    assert_eq!(prev_of(br#"{"prev":"no id"}"#), None);
    assert_eq!(prev_of(br#"{"prev":null}"#), None);
    let list = format!("[\"{}\"]", EventId::of_line(b"x"));
    assert_eq!(prev_of(list.as_bytes()), None);
    assert_eq!(prev_of(b"torn"), None);
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    let noted = |text: String| {
        let mut event = event(r#"{"type":"goal_noted","goalId":"a","note":"n","at":"t"}"#);
        let Payload::GoalNoted(note) = &mut event.payload else {
            panic!("another type");
        };
        note.note = text;
        encode(&event)
    };
    assert!(noted("x".repeat(MAX_TEXT)).is_ok());
    let refused = noted("x".repeat(MAX_TEXT + 1));
    assert!(matches!(refused, Err(TooLarge::Text { field, .. }) if field == "note"));
    let mut event = event(r#"{"type":"completion_requested","goalId":"a","at":"t"}"#);
    let Payload::CompletionRequested(request) = &mut event.payload else {
        panic!("another type");
    };
    request.evidence = Some(vec!["x".repeat(MAX_TEXT); 4]);
    assert!(matches!(encode(&event), Err(TooLarge::Line { .. })));
}

/// Bytes that look like a line often enough to get far into the decoder.
fn nearly_a_line() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<&str> = EVERY_VARIANT.lines().chain(FOREIGN.lines()).collect();
    let line = prop::sample::select(lines);
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (line, damage, any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(line, damage, end, cut)| {
            let mut bytes = line.as_bytes().to_vec();
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if cut {
                bytes.truncate(end.index(bytes.len()));
            }
            bytes
        },
    )
}

proptest! {
    #[test]
    fn decoding_never_panics(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), nearly_a_line()],
        offset in prop_oneof![Just(0u64), Just(7u64)],
        terminated: bool,
    ) {
        let raw = RawLine { number: 1, ordinal: 1, offset, bytes: &bytes, terminated, oversized: false };
        let _link = prev_of(&bytes);
        if let Decoded::Event { event, .. } = decode(&raw)
            && !matches!(event.payload, Payload::Unknown(_))
        {
            // What was read can be written, and says the same when it is read again.
            let line = encode(&event).unwrap();
            let again = RawLine { bytes: line.as_bytes(), ..raw };
            let expected = Decoded::Event { event, untidy: false };
            prop_assert_eq!(decode(&again), expected);
        }
    }
}

fn payload_of(line: &str) -> Payload {
    event(line).payload
}

fn decoded(line: &str) -> Decoded {
    decode(&raw(line.as_bytes()))
}

fn task_of(fields: &str) -> TaskSpec {
    let line = format!(
        r#"{{"type":"task_added","goalId":"a","tasks":[{{"id":"1","title":"t",{fields}}}],"at":"t"}}"#
    );
    match payload_of(&line) {
        Payload::TaskAdded(added) => added.tasks.into_iter().next().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_count_may_be_a_float_wherever_it_stands() {
    assert_eq!(task_of(r#""maxAttempts":2.0"#).max_attempts, Some(2));
    for none in ["2.5", "-1.0", "1e300", r#""2""#, "null", "[2]"] {
        let task = task_of(&format!(r#""maxAttempts":{none}"#));
        assert_eq!(task.max_attempts, None, "{none}");
    }
    let line =
        r#"{"type":"iteration_advanced","goalId":"a","iterationId":"i","iteration":3.0,"at":"t"}"#;
    assert!(matches!(payload_of(line), Payload::IterationAdvanced(it) if it.iteration == 3));
}

#[test]
fn a_list_in_a_task_that_is_no_list_counts_as_absent() {
    for other in ["null", "5", r#""x""#, "{}"] {
        let task = task_of(&format!(
            r#""tasks":{other},"doneWhen":{other},"owner":"w""#
        ));
        assert!(
            task.tasks.is_empty() && task.done_when.is_empty(),
            "{other}"
        );
        assert_eq!(task.owner.as_deref(), Some("w"));
    }
    let lost = r#"{"type":"task_added","goalId":"a","tasks":[{"id":"1","title":"t","tasks":[{"id":"2"}]}],"at":"t"}"#;
    assert!(
        matches!(decoded(lost), Decoded::Flawed(_)),
        "a task in it would be lost"
    );
}

#[test]
fn a_list_is_no_object() {
    let lines = [
        r#"{"type":"draft_proposed","draftId":"d","contract":["obj",true,true],"at":"t"}"#,
        r#"{"type":"draft_proposed","draftId":"d","contract":[],"at":"t"}"#,
        r#"{"type":"task_added","goalId":"a","tasks":[["1","t"]],"at":"t"}"#,
        r#"{"type":"agenda_set","goalId":"a","steps":[["s","t","p",false]],"at":"t"}"#,
        r#"{"type":"iteration_validated","goalId":"a","iterationId":"i","iteration":1,"results":{"r":[true,"m"]},"at":"t"}"#,
    ];
    for line in lines {
        let flawed = matches!(decoded(line), Decoded::Flawed(Flaw::BadEvent(_)));
        assert!(flawed, "{line}");
    }
    assert_eq!(task_of(r#""pred":["ask",{}]"#).pred, None);
    assert!(task_of(r#""pred":{"name":"ask"}"#).pred.is_some());
}

#[test]
fn nothing_in_focus_is_about_no_goal_whatever_the_line_names() {
    for id in [r#""zz""#, "5", r#""../x""#, r#""\u0041""#] {
        let line = format!(r#"{{"type":"goal_unfocused","goalId":{id},"reason":"r","at":"t"}}"#);
        match decoded(&line) {
            Decoded::Event { event, .. } => assert_eq!(event.goal_id, None, "{id}"),
            other => panic!("{line}\n{other:?}"),
        }
        let (state, found) = Ledger::default().theirs(&line).replay();
        assert!(state.goals.is_empty() && found.is_empty(), "{id}");
    }
}

#[test]
fn a_priority_beyond_0_and_1_counts_as_absent() {
    for (said, read) in [
        ("0.25", Some(0.25)),
        ("1", Some(1.0)),
        ("2", None),
        ("-0.1", None),
    ] {
        let line = format!(
            r#"{{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"priority":{said},"at":"t"}}"#
        );
        assert!(
            matches!(payload_of(&line), Payload::GoalCreated(it) if it.contract.priority == read),
            "{said}"
        );
    }
}

#[test]
fn the_link_of_a_line_with_broken_bytes_is_read() {
    let mut line = br#"{"type":"goal_noted","goalId":"a","note":"nx","at":"t","prev":"0123456789abcdef0123456789abcdef"}"#.to_vec();
    let at = line.iter().position(|byte| *byte == b'x').unwrap();
    line[at] = 0xff;
    assert!(prev_of(&line).is_some());
    line[at] = 0;
    assert!(prev_of(&line).is_none(), "a control character is no JSON");
}
