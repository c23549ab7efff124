//! A process that makes many requests of a store keeps its helper.

use std::process::Command;

use serde_json::json;

use super::Store;
use crate::mcp::client::Client;
use crate::run::{DONE, configure};
use crate::support::auditor;

fn note(session: &mut Client, text: &str) {
    let noted = session.call("note_progress", json!({"note": text}));
    assert_eq!(noted["isError"], false, "{noted}");
}

#[test]
fn a_session_keeps_its_helper_and_replaces_one_that_died() {
    let store = Store::new();
    let here = store.project();
    let before = store.helpers().len();
    let mut session = Client::new(&here);
    for number in 0..3 {
        note(&mut session, &format!("fact {number}"));
    }
    assert_eq!(store.helpers().len(), before + 1);
    let helper = store.helpers().pop().unwrap();
    let killed = Command::new("kill").args(["-9", &helper]).status().unwrap();
    assert!(killed.success());
    note(&mut session, "after that");
    note(&mut session, "and again");
    assert_eq!(store.helpers().len(), before + 2);
    assert_eq!(here.ledger(), store.bytes());
}

#[test]
fn a_run_keeps_its_helper() {
    let store = Store::new();
    let here = store.project();
    configure(&here, auditor::APPROVE, DONE, "");
    store.reached_by(&here);
    let before = store.helpers().len();
    // The agent's own commands are processes of their own: this one has none.
    here.run(&["run"]).ok();
    let started = store.helpers().len() - before;
    // Its lease is renewed beside it, so at times two requests are made at once.
    assert!(started <= 3, "{started} helpers were started");
    assert!(here.events().len() > 6);
}
