//! Small ledgers, one folder a case in `fixtures/ledgers`, and what replay makes of them
//! (docs/ledger-format.md#reading).

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write;

use crate::domain::findings::unaudited;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Goal;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::testing::Ledger;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/ledgers");

pub fn fixture(case: &str) -> Ledger {
    let path = format!("{FIXTURES}/{case}/goal_events.jsonl");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Ledger { bytes }
}

fn id_in(ledger: &Ledger) -> impl Fn(LineRef) -> Result<EventId, Infallible> {
    |line| Ok(ledger.id(line))
}

/// `id status @line-of-its-revision audited verdict`
fn show(goal: &Goal, ledger: &Ledger) -> String {
    let Ok(audited) = goal.audited(id_in(ledger));
    let audited = match audited {
        None => "-",
        Some(Audited::Gated) => "gated",
        Some(Audited::External) => "external",
        Some(Audited::None) => "none",
    };
    let verdict = match goal.latest_verdict() {
        None => "-".to_owned(),
        Some(verdict) => format!("{verdict:?}").to_lowercase(),
    };
    let revision = goal.revision.map_or(0, |line| line.number);
    let (id, status) = (&goal.id, goal.status.name());
    format!("{id} {status} @{revision} {audited} {verdict}")
}

/// The goals, and `code severity line` of what was found: by replay, then outside the gate.
fn outcome(ledger: &Ledger) -> (String, String) {
    let (state, mut found) = ledger.replay();
    let Ok(outside) = unaudited(&state, id_in(ledger));
    found.extend(outside);
    let mut text = String::new();
    for finding in found.iter() {
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let line = finding.line.unwrap();
        let offset = ledger.lines()[line as usize - 1].offset;
        assert_eq!(finding.offset, Some(offset), "{finding:?}");
        write!(text, "{} {severity} {line}; ", finding.code.name()).unwrap();
    }
    let goals: Vec<String> = state.in_order().iter().map(|g| show(g, ledger)).collect();
    (goals.join("; "), text.trim_end_matches("; ").to_owned())
}

/// Case, goals, findings.
const CASES: &[(&str, &str, &str)] = &[
    (
        "approval_not_adjacent",
        "a complete @4 none approved",
        "unaudited_completion error 4",
    ),
    ("approval_without_completion", "a active @1 - approved", ""),
    (
        "approved_by_hand",
        "a active @1 - -",
        "foreign_line error 2; foreign_line error 3",
    ),
    (
        "approved_by_hand_completed_by_us",
        "a complete @3 none -",
        "foreign_line error 2; unaudited_completion error 3",
    ),
    ("blocked_then_resumed", "a active @3 - -", ""),
    (
        "completed_then_created",
        "a complete @2 none -",
        "missing_creation warning 1; duplicate_creation warning 3; unaudited_completion information 1",
    ),
    (
        "created_late",
        "a paused @2 - -",
        "missing_creation warning 1",
    ),
    (
        "created_twice",
        "a paused @2 - -",
        "duplicate_creation warning 3",
    ),
    (
        "ended_then_created",
        "a aborted @2 - -",
        "duplicate_creation warning 3",
    ),
    (
        "events_after_terminal",
        "a aborted @2 - error",
        "event_after_terminal information 3; event_after_terminal information 4; \
         event_after_terminal information 5; event_after_terminal information 6",
    ),
    ("external_approval", "a complete @8 external approved", ""),
    (
        "foreign_completion_after_our_approval",
        "a active @1 - approved",
        "foreign_line error 3",
    ),
    ("foreign_tweak", "a paused @2 - -", "foreign_line error 3"),
    (
        "gated",
        "a complete @6 none approved",
        "unaudited_completion error 6",
    ),
    ("goal_id_first", "a paused @2 - -", ""),
    ("link_to_nowhere", "a paused @2 - -", ""),
    ("long_line", "a active @1 - disapproved", ""),
    (
        "malformed",
        "a paused @8 - -",
        "malformed_line error 2; malformed_line error 3; malformed_event error 4; \
         malformed_event error 5; malformed_event error 6; untidy_line information 7",
    ),
    (
        "never_created",
        "a active @3 - -",
        "missing_creation warning 1",
    ),
    (
        "other_ends",
        "a failed @2 - -; b abandoned @4 - -; c failed @6 - -",
        "",
    ),
    ("pauses_and_blockers", "a blocked @4 - -", ""),
    ("sealed_tail", "a active @1 - -", "malformed_line error 2"),
    ("second_request_while_auditing", "a active @1 - -", ""),
    (
        "skipped_then_completed",
        "a complete @5 none -",
        "unaudited_completion information 5",
    ),
    (
        "stale_approval",
        "a complete @4 none approved",
        "unaudited_completion error 4",
    ),
    ("task_started_eight_times", "a active @2 - -", ""),
    ("torn_tail", "a active @1 - -", "torn_tail warning 2"),
    (
        "unfinished_merge",
        "a active @1 - -",
        "conflict_marker error 2; conflict_marker error 4; foreign_line error 5; \
         conflict_marker error 6",
    ),
    (
        "union_merge",
        "a active @4 - -",
        "duplicate_line information 3; untidy_line information 5; duplicate_line information 5",
    ),
    (
        "unknown_types",
        "a active @1 - -",
        "unknown_event information 2; unknown_event information 3",
    ),
    ("unterminated", "a paused @2 - -", ""),
    (
        "windows",
        "a paused @2 - -",
        "untidy_line information 1; untidy_line information 2; untidy_line information 3",
    ),
];

#[test]
fn every_case_comes_out_as_the_table_says() {
    for (case, goals, found) in CASES {
        let expected = ((*goals).to_owned(), (*found).to_owned());
        assert_eq!(outcome(&fixture(case)), expected, "{case}");
    }
}

#[test]
fn every_folder_is_in_the_table() {
    let entries = std::fs::read_dir(FIXTURES).unwrap();
    let folders: BTreeSet<String> = entries
        .map(Result::unwrap)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let listed: BTreeSet<String> = CASES.iter().map(|(case, ..)| (*case).to_owned()).collect();
    assert_eq!(folders, listed);
}
