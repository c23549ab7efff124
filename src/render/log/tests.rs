//! Lines of every kind, as text and as JSON.

use insta::assert_snapshot;

use super::*;
use crate::render::table::{Columns, Table};

fn of(number: u64, bytes: &[u8]) -> LogLine {
    let raw = RawLine {
        number,
        ordinal: number,
        offset: 100 * number,
        bytes,
        terminated: true,
        oversized: false,
    };
    LogLine::of(&raw).unwrap()
}

const LINES: [&[u8]; 6] = [
    br#"{"type":"goal_created","goalId":"mr5cf6ch-akrg4u","objective":"tidy","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:15:00.123Z"}"#,
    br#"{"type":"goal_paused","goalId":"a","reason":"stuck\u001b[2J\u202e","at":"then","by":"user","via":"CLAUDECODE"}"#,
    br#"{"goalId":"a","type":"pirate_day","id":7,"line":"x","n":1.50,"big":1e400,"at":"2026-11-21T20:15:00Z"}"#,
    br#"{"type":"goal_paused","goalId":"a","at":"2026-11-21T20:15:00Z"}"#,
    b"<<<<<<< HEAD",
    b"\xff\x1b[31m not json",
];

fn all(line: impl Fn(&LogLine) -> String) -> String {
    let lines = (1..)
        .zip(LINES)
        .map(|(number, bytes)| line(&of(number, bytes)));
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

#[test]
fn as_text() {
    let rows = (1..).zip(LINES).map(|(number, bytes)| Logged {
        line: of(number, bytes),
        title: None,
    });
    let rows: Vec<Logged> = rows.collect();
    let shown = Columns::usual().only(|name| name != "title");
    let text = Table::of(&shown, &rows, usize::MAX, 0).rows(&rows);
    assert_snapshot!(anstream::adapter::strip_str(&text), @"
    1  2026-11-21T20:15:00.123Z  mr5cf6ch-akrg4u  goal_created          -                  tidy
    2  then                      a                goal_paused           user (CLAUDECODE)  stuck�[2J�
    3  2026-11-21T20:15:00Z      a                pirate_day            -
    4  -                         -                malformed_event       -                  field `reason`: missing field `reason`
    5  -                         -                conflict_marker       -                  left by an unfinished merge
    6  -                         -                malformed_line        -                  not UTF-8
    ");
}

#[test]
fn as_json() {
    assert_snapshot!(all(|line| line.json().unwrap()), @r#"
    {"type":"goal_created","goalId":"mr5cf6ch-akrg4u","objective":"tidy","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:15:00.123Z","id":"8febca92e741a7131094c93d2269198e","line":1}
    {"type":"goal_paused","goalId":"a","reason":"stuck\u001b[2J\u202e","at":"then","by":"user","via":"CLAUDECODE","id":"b76e0161d574069b8d27a9690ed184f7","line":2}
    {"goalId":"a","type":"pirate_day","n":1.50,"big":1e400,"at":"2026-11-21T20:15:00Z","id":"c06850c848ebe60c23a5c1c8c3542a87","line":3}
    {"line":4,"id":"63e12c48f7cdf2f6bc037cefb2dc2137","malformed":true,"code":"malformed_event","message":"field `reason`: missing field `reason`","text":"{\"type\":\"goal_paused\",\"goalId\":\"a\",\"at\":\"2026-11-21T20:15:00Z\"}"}
    {"line":5,"id":"a137124dbfa3ba1e917d19c6ad346e95","malformed":true,"code":"conflict_marker","message":"left by an unfinished merge","text":"<<<<<<< HEAD"}
    {"line":6,"id":"239cdc9ddaf5358fb0babf1db41899df","malformed":true,"code":"malformed_line","message":"not UTF-8","text":"�\u001b[31m not json"}
    "#);
}

#[test]
fn a_lone_surrogate_does_not_cost_the_line() {
    let line = br#"{"type":"x","at":"t","cut":"a \ud83d"}"#;
    assert!(of(1, line).json().unwrap().contains(r#""cut":"a \uFFFD""#));
}

#[test]
fn a_carriage_return_and_a_mark_at_the_start_are_no_part_of_the_object() {
    let raw = RawLine {
        number: 1,
        ordinal: 1,
        offset: 0,
        bytes: b"\xEF\xBB\xBF{\"type\":\"x\",\"at\":\"t\"}\r",
        terminated: true,
        oversized: false,
    };
    let json = LogLine::of(&raw).unwrap().json().unwrap();
    assert!(json.starts_with(r#"{"type":"x","at":"t","id":""#), "{json}");
}

#[test]
fn a_line_too_long_to_read_is_shown_without_its_id() {
    let raw = RawLine {
        number: 3,
        ordinal: 3,
        offset: 0,
        bytes: b"",
        terminated: true,
        oversized: true,
    };
    let line = LogLine::of(&raw).unwrap();
    assert_eq!(line.id, None);
    assert!(
        line.json()
            .unwrap()
            .contains(r#""id":null,"malformed":true"#)
    );
}
