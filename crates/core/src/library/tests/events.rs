//! Events in one pass, since a place, and as they come.

use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;

/// A ledger with the lines of these notes.
fn with_notes(notes: &[&str]) -> (TempDir, Ledger) {
    let dir = TempDir::new().unwrap();
    let ledger = project(&dir, Actor::User);
    fs::create_dir_all(dir.path().join(".pi/goals")).unwrap();
    append(&dir, &notes.iter().map(|it| line(it)).collect::<String>());
    (dir, ledger)
}

fn line(note: &str) -> String {
    format!(r#"{{"type":"goal_noted","goalId":"g","note":"{note}","at":"2026-01-01T00:00:00Z"}}"#)
        + "\n"
}

fn file(dir: &TempDir) -> PathBuf {
    dir.path().join(".pi/goals/goal_events.jsonl")
}

fn append(dir: &TempDir, text: &str) {
    let mut access = fs::OpenOptions::new();
    let mut file = access.append(true).create(true).open(file(dir)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn note(event: Result<Event, Error>) -> String {
    let note = event.unwrap().field("note").unwrap();
    note.as_str().unwrap().to_owned()
}

#[track_caller]
fn notes(events: Result<Events, Error>) -> Vec<String> {
    events.unwrap().map(note).collect()
}

#[test]
fn all_events_come_in_the_order_of_the_file_and_nothing_else_does() {
    let (dir, ledger) = with_notes(&["one", "two"]);
    append(&dir, "\nno event\n");
    append(&dir, &format!("{}\n", "x".repeat(2 * 1024 * 1024)));
    append(&dir, &line("three"));
    append(&dir, line("being written").trim_end());
    assert_eq!(notes(ledger.events()), ["one", "two", "three"]);
    let events: Vec<Event> = ledger.events().unwrap().map(Result::unwrap).collect();
    let places: Vec<(u64, u64)> = events.iter().map(|it| (it.line, it.offset)).collect();
    let len = line("one").len() as u64;
    let behind = 2 * len + 1 + 9 + 2 * 1024 * 1024 + 1;
    assert_eq!(places, [(1, 0), (2, len), (6, behind)]);
    let first = &events[0];
    assert_eq!(
        (first.name.as_str(), first.by, &first.session),
        ("goal_noted", None, &None)
    );
    assert_eq!(first.goal, Some("g".parse().unwrap()));
    assert_eq!(first.field("nothing"), None);
    let shown = serde_json::to_string(first).unwrap();
    let stored = line("one").trim_end().trim_end_matches('}').to_owned();
    assert_eq!(shown, format!(r#"{stored},"id":"{}","line":1}}"#, first.id));
}

#[test]
fn reading_goes_on_where_it_was_left() {
    let (dir, ledger) = with_notes(&["one", "two", "three"]);
    let events: Vec<Event> = ledger.events().unwrap().map(Result::unwrap).collect();
    let second = Position::After(events[1].id);
    assert_eq!(notes(ledger.events_since(second)), ["three"]);
    for (offset, expected) in [
        (0, &["one", "two", "three"][..]),
        (events[1].offset, &["two", "three"]),
        (events[1].offset + 1, &["two", "three"]),
        (events[2].offset - 1, &["two", "three"]),
        (10_000, &[]),
    ] {
        let since = ledger.events_since(Position::Offset(offset));
        assert_eq!(notes(since), expected, "{offset}");
    }
    assert!(notes(ledger.events_since(Position::End)).is_empty());
    fs::write(file(&dir), line("another")).unwrap();
    let mut events = ledger.events_since(second).unwrap();
    let error = events.next().unwrap().unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::NotFound, "event_not_found")
    );
    assert!(events.next().is_none());
    fs::remove_file(file(&dir)).unwrap();
    assert!(notes(ledger.events()).is_empty());
    let mut events = ledger.events_since(second).unwrap();
    assert!(events.next().unwrap().is_err() && events.next().is_none());
}

#[test]
fn a_ledger_that_moved_says_so_at_its_end() {
    let (dir, ledger) = with_notes(&["one"]);
    append(
        &dir,
        "{\"type\":\"ledger_moved\",\"to\":\"repository\",\"at\":\"2026-01-01T00:00:00Z\"}\n",
    );
    let codes = |events: &mut dyn Iterator<Item = Result<Event, Error>>| {
        let codes = events.take(3).map(|it| it.map_err(|error| error.code()));
        codes
            .map(|it| it.map(|event| event.name))
            .collect::<Vec<_>>()
    };
    let moved = Ok("ledger_moved".to_owned());
    let expected = [
        Ok("goal_noted".to_owned()),
        moved.clone(),
        Err("ledger_elsewhere"),
    ];
    assert_eq!(codes(&mut ledger.events().unwrap()), expected);
    let mut follow = ledger.follow(Position::Start).unwrap();
    assert_eq!(codes(&mut follow), expected);
    let none = TempDir::new().unwrap();
    fs::create_dir_all(none.path().join(".git/goal")).unwrap();
    let shared = project(&none, Actor::User);
    let error = shared.events().unwrap_err();
    assert_eq!(error.code(), "ledger_elsewhere");
    let error = shared.follow(Position::End).unwrap_err();
    assert_eq!(error.code(), "ledger_elsewhere");
}

#[test]
fn a_follower_gets_each_event_once_as_it_comes() {
    let (dir, ledger) = with_notes(&["one", "two"]);
    let first = ledger.events().unwrap().next().unwrap().unwrap();
    let mut all = ledger.follow(Position::Start).unwrap();
    let mut since = ledger.follow(Position::After(first.id)).unwrap();
    let mut new = ledger.follow(Position::End).unwrap();
    let zero = Duration::ZERO;
    assert_eq!(all.next().map(note).unwrap(), "one");
    assert_eq!(all.next_within(zero).map(note).unwrap(), "two");
    assert!(all.next_within(zero).is_none());
    assert_eq!(since.next().map(note).unwrap(), "two");
    assert!(new.next_within(zero).is_none());
    append(&dir, line("three").trim_end());
    assert!(new.next_within(zero).is_none());
    append(&dir, "\n");
    for follow in [&mut all, &mut since, &mut new] {
        assert_eq!(follow.next().map(note).unwrap(), "three");
        assert!(follow.next_within(zero).is_none());
    }
    // Git takes a line back, and brings another.
    let other = file(&dir).with_extension("other");
    fs::write(&other, line("one") + &line("three") + &line("aside")).unwrap();
    fs::rename(other, file(&dir)).unwrap();
    assert_eq!(new.next().map(note).unwrap(), "aside");
    assert_eq!((new.missing(), new.next_within(zero)), (1, None));
    let unknown = Position::After("0".repeat(32).parse().unwrap());
    assert_eq!(
        ledger.follow(unknown).unwrap_err().code(),
        "event_not_found"
    );
}

#[test]
fn a_follower_waits_for_another_writer_and_stops_when_it_is_told() {
    let dir = TempDir::new().unwrap();
    let ledger = project(&dir, Actor::User);
    // The ledger need not be there yet.
    let mut follow = ledger.follow(Position::End).unwrap();
    let stop = follow.stop_handle();
    let (seen, sees) = mpsc::channel();
    let thread = thread::spawn(move || {
        for event in &mut follow {
            seen.send(event.unwrap().name).unwrap();
        }
        follow.next().is_none() && follow.next_within(Duration::MAX).is_none()
    });
    create(&ledger, "a goal");
    let soon = Duration::from_secs(30);
    assert_eq!(sees.recv_timeout(soon).unwrap(), "goal_created");
    assert_eq!(sees.recv_timeout(soon).unwrap(), "goal_focused");
    let told = Instant::now();
    stop.clone().stop();
    assert!(thread.join().unwrap());
    assert!(told.elapsed() < soon);
}

#[test]
fn a_follower_tries_again_after_an_error_and_not_at_once() {
    let (dir, ledger) = with_notes(&["one"]);
    let mut follow = ledger.follow(Position::Start).unwrap();
    assert_eq!(follow.next().map(note).unwrap(), "one");
    fs::remove_file(file(&dir)).unwrap();
    fs::create_dir(file(&dir)).unwrap();
    let begun = Instant::now();
    for _ in 0..3 {
        assert_eq!(follow.next().unwrap().unwrap_err().kind(), ErrorKind::Io);
    }
    assert!(begun.elapsed() > Duration::from_millis(300));
    fs::remove_dir(file(&dir)).unwrap();
    fs::write(file(&dir), line("two")).unwrap();
    assert_eq!(follow.next().map(note).unwrap(), "two");
}
