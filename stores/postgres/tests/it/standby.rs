//! High availability as people run it: a primary that waits for its standby, which is promoted when
//! the primary is gone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::support::agent::{Agent, judge};
use crate::support::helper::{Helper, append, command};
use crate::support::server::Server;
use crate::support::{Stop, lines, until};

/// Whoever cancels the wait for a standby gets an answer without what was waited for.
#[test]
fn a_commit_that_no_longer_waits_for_its_standby_is_unknown() {
    let Some(primary) = Server::start(&[]) else {
        return;
    };
    let ledger = "standby/two";
    let mut writer = primary.writer();
    writer.create(ledger);
    primary.set("synchronous_standby_names", "nobody");
    let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let line = (None, "a");
    // A line, and then the end of a turn in which the line is there already.
    for lines in [&[line][..], &[]] {
        let begun = writer.begin(ledger, 0);
        writer.send(&append(begun.end(), lines)).unwrap();
        until("it waits for the standby", || {
            (primary.sql(&format!("SELECT count(*) {waiting}")) == "1").then_some(())
        });
        primary.sql(&format!("SELECT pg_cancel_backend(pid) {waiting}"));
        assert_eq!(writer.answer().unwrap().code(), "unknown");
    }
    assert_eq!(writer.read(ledger).lines(), ["a"]);
}

#[test]
fn a_promoted_standby_has_every_acknowledged_event() {
    let Some(primary) = Server::start(&[]) else {
        return;
    };
    let standby = primary.standby("s1");
    let streams = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'";
    until("the standby streams", || {
        (primary.sql(streams) == "1").then_some(())
    });
    let ledger = "standby/one";
    let mut first = primary.writer();
    first.create(ledger);
    let begun = first.begin(ledger, 0);
    assert_eq!(begun.last["warnings"][0]["code"], "standby_asynchronous");
    primary.set("synchronous_standby_names", "s1");
    let mut second = primary.writer();
    first.append(0, &[]);
    assert_eq!(
        second.begin(ledger, 0).last["warnings"],
        serde_json::json!([])
    );
    second.append(0, &[]);

    // Of the two the one that can be written to.
    let (one, two) = (primary.port, standby.port);
    let url = format!("host=127.0.0.1,127.0.0.1 port={one},{two} user=writer dbname=postgres");
    // A standby alone is no store to write to.
    let mut only = Helper::start(&standby.url("writer"));
    until("the standby has the ledger", || {
        (only.read(ledger).code() == "ok").then_some(())
    });
    assert_eq!(only.begin(ledger, 0).code(), "unreachable");

    let (done, stop) = (AtomicUsize::new(0), Stop::default());
    let results: Vec<_> = thread::scope(|scope| {
        let guard = stop.guard();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (done, stop, url) = (&done, &stop, &url);
                scope.spawn(move || {
                    let mut agent = Agent::new(ledger, || command(url));
                    let mut acknowledged = Vec::new();
                    while !stop.is_set() {
                        let text = format!("{writer} {}", acknowledged.len());
                        acknowledged.push(agent.write(|prev| lines::note("g", &text, prev)));
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    (acknowledged, agent.replica)
                })
            })
            .collect();
        let written = |more: usize| {
            let from = done.load(Ordering::Relaxed);
            until("they write", || {
                (done.load(Ordering::Relaxed) >= from + more).then_some(())
            });
        };
        written(100);
        primary.kill();
        standby.promote();
        written(100);
        drop(guard);
        writers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let acknowledged: Vec<String> = results.iter().flat_map(|it| it.0.clone()).collect();
    let replicas: Vec<&[u8]> = results.iter().map(|it| it.1.as_slice()).collect();
    judge(&mut standby.writer(), ledger, &acknowledged, &replicas);
    eprintln!(
        "standby promoted under load: {} events acknowledged, 0 lost",
        acknowledged.len()
    );
}
