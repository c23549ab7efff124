//! A gate can be made stricter by anybody, and weaker only by the user.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Gate, Record, Signers};
use crate::workspace::config::{GateTable, Place, parse};

fn table(text: &str) -> GateTable {
    parse("config.toml".into(), text).unwrap().gate
}

fn list(text: &str) -> Signers {
    Signers {
        path: "/signers".into(),
        text: text.into(),
    }
}

fn gate(project: &str, record: Option<Record>) -> Gate {
    let path = |_: &Place| Utf8PathBuf::from("/there/is/none");
    Gate::made_of(&table(project), &GateTable::default(), record, path)
}

fn trusted(text: &str) -> Record {
    Record {
        root: "/one".into(),
        required: true,
        signers: Some(list(text)),
    }
}

#[test]
fn a_requirement_that_was_trusted_outlives_its_file() {
    assert!(!gate("", None).required);
    assert!(gate("[gate]\nrequire = \"signed\"", None).required);
    let weakened = gate("", Some(trusted("ann")));
    assert!(weakened.required && weakened.is_changed());
    // The list that the user trusted goes on to count where the file names none any more.
    assert_eq!(weakened.lists(), Ok(vec!["ann"]));
}

#[test]
fn a_list_counts_when_it_is_trusted_and_the_list_of_today_agrees() {
    let mut gate = Gate {
        named: Some(Ok(list("ann"))),
        ..Gate::default()
    };
    assert!(gate.lists().unwrap_err().contains("goal trust"));
    gate.trusted = Some(list("ann"));
    assert_eq!(gate.lists(), Ok(vec!["ann"]));
    assert!(!gate.is_changed());
    gate.named = Some(Ok(list("eve")));
    assert_eq!(
        gate.lists(),
        Ok(vec!["ann", "eve"]),
        "both have to accept it"
    );
    assert!(gate.is_changed());
    gate.named = Some(Err("cannot read".into()));
    assert!(gate.lists().is_err());
    assert!(
        Gate::default()
            .lists()
            .unwrap_err()
            .contains("[gate] signers")
    );
}

#[test]
fn what_is_trusted_comes_back_for_its_root_only() {
    let keep = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(keep.path()).unwrap();
    let mut gate = Gate {
        asked: true,
        required: true,
        named: Some(Ok(list("ann"))),
        ..Gate::default()
    };
    gate.record(state, "/one".into()).unwrap();
    assert_eq!(Record::read(state, "/one".into()), Some(trusted("ann")));
    assert_eq!(Record::read(state, "/two".into()), None);
    assert!(!gate.is_changed());
}

#[test]
fn places_are_below_the_root_or_the_home() {
    let place = |text: &str| {
        let table = table(&format!("[gate]\nkey = \"{text}\""));
        let place = table.key.unwrap();
        place
            .path("/root".into(), Some("/home/ann".into()))
            .into_string()
    };
    assert_eq!(place("signers"), "/root/signers");
    assert_eq!(place("/etc/signers"), "/etc/signers");
    assert_eq!(place("~/.ssh/id"), "/home/ann/.ssh/id");
}
