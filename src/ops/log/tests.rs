//! Which lines come for what is asked.

use std::fs;
use std::io::Write;

use super::*;
use crate::domain::id::EventId;
use crate::ops::failure::Exit;
use crate::ops::testing::Project;

/// Six lines of 40 bytes with their ends, of goals a and b in turn; the fourth is no event.
fn project() -> Project {
    let line = |number: usize| match number {
        4 => format!("{:<39}", "garbage"),
        _ => {
            let goal = if number % 2 == 1 { "a" } else { "b" };
            format!(
                "{:<39}",
                format!(r#"{{"type":"t{number}","goalId":"{goal}","at":""}}"#)
            )
        }
    };
    Project::with(&(1..=6).map(line).collect::<Vec<_>>())
}

#[track_caller]
fn check(project: &Project, goal: Option<&str>, asked: LogRequest, numbers: &[u64]) {
    let log = Log::open(&project.call(goal), Filter::default()).unwrap();
    let read = log.read(&asked).unwrap();
    let read: Vec<u64> = read.iter().map(|line| line.number).collect();
    assert_eq!(read, numbers);
}

fn limit(limit: usize) -> LogRequest {
    LogRequest {
        limit: Some(limit),
        since: None,
    }
}

fn since(since: Position, limit: Option<usize>) -> LogRequest {
    LogRequest {
        limit,
        since: Some(since),
    }
}

#[test]
fn the_latest_lines_oldest_first() {
    let project = project();
    check(&project, None, LogRequest::default(), &[1, 2, 3, 4, 5, 6]);
    check(&project, None, limit(2), &[5, 6]);
    check(&project, None, limit(0), &[]);
    check(&project, None, limit(100), &[1, 2, 3, 4, 5, 6]);
}

#[test]
fn only_the_events_of_a_goal() {
    let project = project();
    // Events of unknown types make no goal that could be named.
    fs::write(
        project.ledger(),
        fs::read_to_string(project.ledger())
            .unwrap()
            .replace("\"t1\"", "\"goal_archived\",\"archivePath\":\"\""),
    )
    .unwrap();
    check(&project, Some("a"), LogRequest::default(), &[1, 3, 5]);
    check(&project, Some("a"), limit(1), &[5]);
}

#[test]
fn since_an_id_come_the_first_after_it() {
    let project = project();
    let lines = Log::open(&project.call(None), Filter::default())
        .unwrap()
        .read(&LogRequest::default())
        .unwrap();
    let third = Position::After(lines[2].id.unwrap());
    check(&project, None, since(third, None), &[4, 5, 6]);
    check(&project, None, since(third, Some(2)), &[4, 5]);
    check(
        &project,
        None,
        since(Position::After(lines[5].id.unwrap()), None),
        &[],
    );
    let unknown = since(Position::After(EventId::ZERO), None);
    let error = Log::open(&project.call(None), Filter::default())
        .unwrap()
        .read(&unknown)
        .unwrap_err();
    assert_eq!(
        (error.code, error.exit),
        ("event_not_found", Exit::NotFound)
    );
}

#[test]
fn since_an_offset_no_line_is_missed() {
    let project = project();
    for (offset, numbers) in [
        (0, &[1, 2, 3, 4, 5, 6][..]),
        (1, &[1, 2, 3, 4, 5, 6]),
        (39, &[1, 2, 3, 4, 5, 6]),
        (40, &[2, 3, 4, 5, 6]),
        (200, &[6]),
        (239, &[6]),
        (240, &[]),
        (10_000, &[]),
    ] {
        check(
            &project,
            None,
            since(Position::Offset(offset), None),
            numbers,
        );
    }
}

#[test]
fn a_line_without_its_end_waits_for_readers_in_steps() {
    let project = project();
    let mut file = fs::OpenOptions::new()
        .append(true)
        .open(project.ledger())
        .unwrap();
    file.write_all(br#"{"type":"late","at":""}"#).unwrap();
    check(&project, None, limit(1), &[7]);
    check(&project, None, since(Position::Offset(200), None), &[6]);

    let mut log = Log::open(&project.call(None), Filter::default()).unwrap();
    assert_eq!(log.begin(&limit(1)).unwrap()[0].number, 6);
    assert_eq!(log.follow().unwrap(), (Vec::new(), Look::Whole));
    file.write_all(b"\n").unwrap();
    assert_eq!(log.follow().unwrap().0[0].number, 7);
    check(&project, None, since(Position::Offset(250), None), &[7]);
}

#[test]
fn places_are_ids_or_offsets() {
    assert_eq!(place("120"), Ok(Position::Offset(120)));
    assert_eq!(place(&"0".repeat(32)), Ok(Position::After(EventId::ZERO)));
    assert!(place("-1").is_err());
    assert!(place("abc").is_err());
}
