//! Clocks that go backwards, stand far in the future or before year 0, or are missing; and eight
//! sessions at once on one goal, each with another clock. Order is file order
//! (docs/ledger-format.md#reading), so no clock may lose, reorder or refuse anything.

use std::thread;

use serde_json::{Value, json};

use crate::oracle::{acknowledged, documents_whole, ids, projected, whole};
use crate::support::Project;
use crate::{from_environment, say};

/// One a session: the present, before and after each other, the last and the first times that can
/// be told, one that runs out of them while the command runs, and the start of all clocks.
const CLOCKS: [&str; 8] = [
    "2026-06-01T12:00:00.000Z",
    "2026-06-01T11:59:59.000Z",
    "2099-12-31T23:59:59.999Z",
    "9999-12-30T21:59:59.999Z",
    "9999-12-30T22:00:00.999Z",
    "0000-01-01T00:00:00.000Z",
    "-009999-01-02T02:00:00.000Z",
    "1970-01-01T00:00:00.000Z",
];

/// A goal's whole life with the clock standing there for each command, then going backwards.
#[test]
fn a_life_under_every_clock() {
    let project = Project::new();
    for clock in CLOCKS.iter().chain(CLOCKS.iter().rev()) {
        let before = project.ledger();
        let run = |args: &[&str]| project.call(args).env("GOAL_TEST_CLOCK", clock).run().ok();
        run(&["set", "x"]);
        let created = project.events_of_type("goal_created").pop().unwrap();
        let id = created["goalId"].as_str().unwrap().to_owned();
        run(&["note", "y"]);
        run(&["pause", "--reason", "z"]);
        assert_eq!(project.status(&id), "paused", "{clock}");
        run(&["resume"]);
        whole(&project, &before, clock);
        projected(&project, clock);
        documents_whole(&project, clock);
        for reading in ["list", "status", "show", "log", "summary", "doctor"] {
            run(&[reading]);
        }
        run(&["abandon", "--reason", "over"]);
        assert_eq!(project.status(&id), "abandoned", "{clock}");
        // A name that is no document's would be written again and again, and never archived.
        let left = project.goals("").read_dir_utf8().unwrap();
        let mut names = left.map(|entry| entry.unwrap().file_name().to_owned());
        assert_eq!(names.find(|name| name.ends_with(".md")), None, "{clock}");
    }
    project.run(&["verify"]).ok();
    let text = project.run(&["repair"]).ok();
    projected(&project, &text.to_string());
    say(&format!("clocks: {} lives, all whole", 2 * CLOCKS.len()));
}

/// Events of other tools whose time is no time, after the last that can be told, missing or no
/// text: the first are read, and those without a text are skipped and said to be
/// (docs/ledger-format.md#reading). Whatever it is, they are kept byte by byte, and gone on from.
#[test]
fn times_that_are_missing_or_make_no_sense() {
    let times = [
        Value::Null,
        json!(""),
        json!("yesterday"),
        json!("9999-12-31T23:59:59.999Z"),
        json!("+292278994-08-17T07:12:55.807Z"),
        json!("-009999-01-01T00:00:00Z"),
        json!("2026-02-30T25:61:61Z"),
        json!("23:59"),
    ];
    for at in times.iter().map(Some).chain([None]) {
        let project = Project::new();
        let id = project.set("x");
        let created = project.events_of_type("goal_created").pop().unwrap();
        let mut lines = String::new();
        for mut event in [
            created,
            json!({"type": "goal_noted", "goalId": id, "note": "n"}),
        ] {
            let event_fields = event.as_object_mut().unwrap();
            for name in ["prev", "by", "at"] {
                event_fields.shift_remove(name);
            }
            if let Some(at) = at {
                event_fields.insert("at".into(), at.clone());
            }
            lines += &format!("{event}\n");
        }
        project.put_ledger(&lines);
        let context = format!("at {at:?}");
        if at.is_none_or(|at| !at.is_string()) {
            let verified = project.verified();
            let findings = verified.findings();
            let malformed = findings.iter().filter(|it| it["code"] == "malformed_event");
            assert_eq!(malformed.count(), 2, "{context}: {findings:?}");
            project.run(&["set", "after it"]).ok();
            assert!(project.ledger().starts_with(lines.as_bytes()), "{context}");
            projected(&project, &context);
            continue;
        }
        project.run(&["note", "after it", "--goal", &id]).ok();
        for reading in ["list", "show", "log", "summary"] {
            let ran = project.run(&[reading, "--goal", &id]);
            assert!(
                ran.code != Some(70) && ran.signal.is_none(),
                "{context}\n{ran}"
            );
        }
        assert!(project.ledger().starts_with(lines.as_bytes()), "{context}");
        assert_eq!(project.last_event()["note"], "after it", "{context}");
        project.run(&["repair"]).ok();
        projected(&project, &context);
        documents_whole(&project, &context);
    }
}

/// Each session edits the same goal with a clock of its own; every edit that was acknowledged is
/// there, in the order in which the session made it, and nothing else is.
#[test]
fn eight_sessions_edit_one_goal_and_no_edit_is_lost() {
    let edits = from_environment("GOAL_SESSION_EDITS", 12);
    let (project, goal) = Project::with_goal("x");
    let before = project.ledger();
    let receipts: Vec<Vec<String>> = thread::scope(|scope| {
        let start = |(session, clock)| {
            let (project, goal) = (&project, &goal);
            scope.spawn(move || session_edits(project, goal, session, clock, edits))
        };
        let sessions: Vec<_> = CLOCKS.into_iter().enumerate().map(start).collect();
        let receipts = sessions.into_iter().map(|session| session.join().unwrap());
        receipts.collect()
    });
    whole(&project, &before, "after eight sessions");
    let ids = ids(&project.ledger());
    let mut lost = 0;
    for receipts in &receipts {
        let mut rest = ids.iter();
        lost += receipts
            .iter()
            .filter(|id| !rest.any(|other| other == *id))
            .count();
    }
    let count: usize = receipts.iter().map(Vec::len).sum();
    say(&format!(
        "{} sessions on one goal: {count} edits acknowledged, {lost} lost",
        receipts.len()
    ));
    assert_eq!(lost, 0);
    let old = before.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(ids.len(), old + count, "what nobody asked for is there");
    projected(&project, "after eight sessions");
    documents_whole(&project, "after eight sessions");
    let notes = project.events_of_type("goal_noted");
    assert!(notes.iter().all(|event| event["goalId"] == *goal));
}

/// Notes, and changes of the contract; the ids of their events in order.
fn session_edits(
    project: &Project,
    goal: &str,
    session: usize,
    clock: &str,
    edits: u64,
) -> Vec<String> {
    let name = format!("session-{session}");
    let mut receipts = Vec::new();
    for number in 0..edits {
        let text = format!("{name} edit {number}");
        let edit: &[&str] = match number % 3 {
            0 => &["tweak", "--objective", &text],
            _ => &["note", &text],
        };
        let more = [
            "--goal",
            goal,
            "--session",
            &name,
            "--lock-timeout",
            "100",
            "--json",
        ];
        let args = [edit, &more].concat();
        let ran = project.call(&args).env("GOAL_TEST_CLOCK", clock).run().ok();
        let events = acknowledged(&ran);
        assert!(!events.is_empty(), "{ran}");
        receipts.extend(events);
    }
    receipts
}
