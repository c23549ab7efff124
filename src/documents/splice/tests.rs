//! Header edits: what changes, and that nothing else does.

use proptest::prelude::*;

use super::*;

const PAUSED: &str = include_str!("../../../fixtures/documents/legacy-paused.md");

fn as_it_is() -> HeaderChange {
    HeaderChange {
        status: HeaderStatus::Paused,
        auto_continue: false,
        stop_reason: Some("agent".into()),
        pause_reason: Some("the labels of \"row {3}\" are wet".into()),
        pause_suggested_action: Some("Dry them, then resume.".into()),
        updated_at: "2026-03-02T09:30:00.000Z".into(),
    }
}

fn active() -> HeaderChange {
    HeaderChange {
        status: HeaderStatus::Active,
        auto_continue: true,
        stop_reason: None,
        pause_reason: None,
        pause_suggested_action: None,
        updated_at: "2026-03-03T00:00:00.000Z".into(),
    }
}

#[test]
fn a_change_that_changes_nothing_gives_the_same_bytes() {
    assert_eq!(edit(PAUSED, &as_it_is()).unwrap(), PAUSED);
    let crlf = format!("\u{feff}{}", PAUSED.replace('\n', "\r\n"));
    assert_eq!(edit(&crlf, &as_it_is()).unwrap(), crlf);
}

#[test]
fn a_value_spelled_otherwise_is_left_alone() {
    let odd = r#"{"status": "\u0061ctive", "autoContinue":true , "updatedAt": "2026-03-03T00:00:00.000Z"}"#;
    assert_eq!(edit(odd, &active()).unwrap(), odd);
}

#[test]
fn resuming_touches_the_named_lines_only() {
    let edited = edit(PAUSED, &active()).unwrap();
    let expected = PAUSED
        .replace("  \"status\": \"paused\",\n", "  \"status\": \"active\",\n")
        .replace("\"autoContinue\": false", "\"autoContinue\": true")
        .replace(
            "  \"updatedAt\": \"2026-03-02T09:30:00.000Z\"",
            "  \"updatedAt\": \"2026-03-03T00:00:00.000Z\"",
        )
        .replace("  \"stopReason\": \"agent\",\n", "")
        .replace(
            ",\n  \"pauseReason\": \"the labels of \\\"row {3}\\\" are wet\"",
            "",
        )
        .replace(
            ",\n  \"pauseSuggestedAction\": \"Dry them, then resume.\"",
            "",
        );
    assert_eq!(edited, expected);
    assert!(edited.contains("\"tokensUsed\": 1e5,\n    \"activeSeconds\": 12.50"));
    assert!(edited.contains("{ \"pauseReason\": \"nested\" }"));
}

#[test]
fn pausing_again_adds_the_keys_in_the_same_indentation() {
    let again = edit(&edit(PAUSED, &active()).unwrap(), &as_it_is()).unwrap();
    let tail = ",\n  \"stopReason\": \"agent\",\n  \"pauseReason\": \"the labels of \\\"row {3}\\\" are wet\",\n  \"pauseSuggestedAction\": \"Dry them, then resume.\"\n}\n\n# Goal Prompt";
    assert!(again.contains(tail), "{again}");
    assert_eq!(edit(&again, &as_it_is()).unwrap(), again);
}

#[test]
fn compact_empty_and_doubled_headers_stay_json() {
    let compact = edit(r#"{"stopReason":"user","status":"paused"}rest"#, &active()).unwrap();
    assert_eq!(
        compact,
        r#"{"status":"active","autoContinue":true,"updatedAt":"2026-03-03T00:00:00.000Z"}rest"#
    );
    let empty = edit("{}", &active()).unwrap();
    assert!(empty.starts_with("{\n  \"status\": \"active\",\n  \"autoContinue\": true,"));
    let doubled = r#"{"status":"paused","stopReason":"a","status":"paused","stopReason":"b"}"#;
    let edited = edit(doubled, &active()).unwrap();
    assert!(edited.starts_with(r#"{"status":"paused","status":"active","#));
    assert!(!edited.contains("stopReason"));
    assert!(edit("# none", &active()).is_err());
}

fn optional() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(any::<String>())
}

proptest! {
    #[test]
    fn edits_say_what_was_asked_and_keep_the_rest(
        unknown in any::<String>(),
        key in "[a-z\"\\\\{}]{1,6}",
        pretty in any::<bool>(),
        body in any::<String>(),
        (stop, reason, action) in (optional(), optional(), optional()),
        first in any::<bool>(),
    ) {
        let nested = serde_json::json!({"status": unknown, "pauseReason": [unknown, 1.5]});
        let mut header = serde_json::Map::new();
        if first {
            header.insert("pauseReason".into(), "old".into());
        }
        header.insert("id".into(), "a".into());
        header.insert(format!("x{key}"), nested);
        let value = Value::Object(header.clone());
        let head = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let change = HeaderChange {
            stop_reason: stop.clone(),
            pause_reason: reason.clone(),
            pause_suggested_action: action.clone(),
            ..active()
        };
        let edited = edit(&format!("{head}\n{body}"), &change).unwrap();
        let (parts, map) = object(&edited).unwrap();
        let expected_body = format!("\n{body}");
        prop_assert_eq!(&edited[parts.body], expected_body.as_str());
        let as_value = |text: &Option<String>| text.clone().map(Value::from);
        prop_assert_eq!(map.get("stopReason").cloned(), as_value(&stop));
        prop_assert_eq!(map.get("pauseReason").cloned(), as_value(&reason));
        prop_assert_eq!(map.get("pauseSuggestedAction").cloned(), as_value(&action));
        prop_assert_eq!(map.get("status"), Some(&Value::from("active")));
        let unknown_key = format!("x{key}");
        prop_assert_eq!(map.get(&unknown_key), header.get(&unknown_key));
        prop_assert_eq!(edit(&edited, &change).unwrap(), edited);
    }
}
