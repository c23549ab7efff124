//! Turns: they never overlap, and who dies or falls silent loses theirs.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::helper::{Helper, command};
use crate::support::server::{Server, shared};
use crate::support::until;

fn begin_within(ledger: &str, wait: u64) -> serde_json::Value {
    json!({"verb": "begin", "ledger": ledger, "from": 0, "waitMs": wait})
}

/// How many wait for a lock on a row of ledgers.
fn waiting(server: &Server) -> usize {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    server.sql(sql).parse().unwrap()
}

#[test]
fn a_second_turn_waits_for_the_first() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let (mut first, mut second) = (server.writer(), server.writer());
    first.create("turns/two");
    first.create("turns/other");
    let begun = first.begin("turns/two", 0);
    assert_eq!(second.ask(begin_within("turns/two", 30)).code(), "busy");
    assert_eq!(second.ask(begin_within("turns/two", 0)).code(), "busy");
    // Another ledger is free, and so is everything that only reads.
    assert_eq!(second.add("turns/other", "1", "{}").code(), "ok");
    assert_eq!(second.read("turns/two").code(), "ok");
    // Whoever has a turn can read and create beside it.
    assert_eq!(first.read("turns/other").lines(), ["{}"]);

    second.send(&begin_within("turns/two", 60_000)).unwrap();
    until("the second waits", || (waiting(&server) == 1).then_some(()));
    first.append(begun.end(), &[(Some("1"), "one")]);
    assert_eq!(second.answer().unwrap().lines(), ["one"]);
}

#[test]
fn turns_come_in_the_order_in_which_they_were_asked_for() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let mut first = server.writer();
    first.create("turns/queue");
    let begun = first.begin("turns/queue", 0);
    let mut others: Vec<Helper> = (1..=6)
        .map(|number| {
            let mut other = server.writer();
            other.send(&begin_within("turns/queue", 60_000)).unwrap();
            until("it waits", || (waiting(&server) == number).then_some(()));
            other
        })
        .collect();
    first.append(begun.end(), &[(Some("0"), "0")]);
    for (number, other) in (1..).zip(&mut others) {
        let begun = other.answer().unwrap();
        assert_eq!(begun.lines().len(), number, "the turn of {number}");
        let line = number.to_string();
        assert_eq!(
            other.append(begun.end(), &[(Some(&line), &line)]).code(),
            "ok"
        );
    }
}

#[test]
fn a_helper_that_ends_or_is_killed_gives_its_turn_back() {
    let Some(server) = shared() else { return };
    let mut other = server.writer();
    other.create("turns/ended");
    let mut ended = server.writer();
    ended.begin("turns/ended", 0);
    ended.stdin = None;
    assert_eq!(other.add("turns/ended", "1", "{}").code(), "ok");
    let mut killed = server.writer();
    killed.begin("turns/ended", 0);
    killed.child.kill().unwrap();
    assert_eq!(other.add("turns/ended", "2", "[]").code(), "ok");
}

#[test]
fn a_helper_that_is_stopped_loses_its_turn_and_knows_it() {
    let Some(server) = shared() else { return };
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("goal")).unwrap();
    let file = home.path().join("goal/config.toml");
    fs::write(file, "[store.helper]\nturn_seconds = 1\n").unwrap();
    let mut command = command(&server.url("writer"));
    command.env("XDG_CONFIG_HOME", home.path());
    let mut stopped = Helper::of(command);
    let mut other = server.writer();
    other.create("turns/stopped");
    let begun = stopped.begin("turns/stopped", 0);
    let pid = Pid::from_child(&stopped.child);
    kill_process(pid, Signal::STOP).unwrap();
    // It waits until the server has ended the turn of the other.
    assert_eq!(other.add("turns/stopped", "1", "theirs").code(), "ok");
    kill_process(pid, Signal::CONT).unwrap();
    // Whether it hears of that before it sends the lines is a matter of chance.
    let late = stopped.append(begun.end(), &[(Some("2"), "late")]);
    assert!(["moved", "unknown"].contains(&late.code()), "{late:?}");
    let again = stopped.begin("turns/stopped", 0);
    assert_eq!(again.lines(), ["theirs"]);
    assert_eq!(
        stopped.append(again.end(), &[(Some("2"), "now")]).code(),
        "ok"
    );
}
