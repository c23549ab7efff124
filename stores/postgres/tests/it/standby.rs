//! High availability as people run it: a primary that waits for its standby, which is promoted when
//! the primary is gone.

use crate::support::helper::{Helper, append};
use crate::support::server::Server;
use crate::support::until;
use crate::support::writers::while_they_write;

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

    let written = while_they_write(ledger, &url, |writers| {
        writers.write(100);
        primary.kill();
        standby.promote();
        writers.write(100);
    });
    written.judge(&mut standby.writer(), ledger);
    eprintln!(
        "standby promoted under load: {} events acknowledged, 0 lost",
        written.acknowledged.len()
    );
}
