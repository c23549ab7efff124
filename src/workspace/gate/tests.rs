//! A gate can be made stricter by anybody, and weaker only by the user.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Gate, Record, Signers};
use crate::domain::seal::Key;
use crate::workspace::accepted::Accepted;
use crate::workspace::config::{ConfiguredPath, GateTable, parse};
use crate::workspace::records::{RecordRead, RootRecord};

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
    let path = |_: &ConfiguredPath| Utf8PathBuf::from("/there/is/none");
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
    let (own, other) = (Key::new([1; 32]), Key::new([2; 32]));
    gate.record(state, "/one".into(), &own).unwrap();
    let read = |root: &str, key| Record::read(state, root.into(), Some(key));
    assert_eq!(read("/one", &own), RecordRead::Valid(trusted("ann")));
    assert_eq!(read("/one", &other), RecordRead::NotOurs);
    assert_eq!(read("/two", &own), RecordRead::Absent);
    assert!(!gate.is_changed());
    let accepted = Accepted::read(state, "/one".into(), Some(&own)).valid();
    assert!(accepted.is_some_and(|it| it.gate), "there is a record");
}

#[test]
fn where_the_record_is_not_known_signatures_are_required_and_none_counts() {
    let gate = Gate {
        required: true,
        is_unknown: true,
        trusted: Some(list("ann")),
        named: Some(Ok(list("ann"))),
        asked: true,
        ..Gate::default()
    };
    assert!(gate.is_changed());
    let why = gate.lists().unwrap_err();
    assert!(why.contains("key") && why.contains("goal trust"), "{why}");
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

#[test]
fn whoever_is_to_trust_a_list_sees_its_lines_and_the_ends_of_its_keys() {
    let key = format!("AAAAC3NzaC1lZDI1NTE5AAAA{}", "0123456789ab".repeat(4));
    let text =
        format!("# the team\n\n ann,*@b  cert-authority ssh-ed25519 {key} at home\nshort AAAA\n");
    assert_eq!(
        list(&text).entries(),
        [
            "ann,*@b cert-authority ssh-ed25519 …0123456789ab at home",
            "short …"
        ]
    );
}

#[test]
fn a_list_is_inside_where_the_work_tree_holds_it() {
    let keep = tempfile::tempdir().unwrap();
    let top = Utf8Path::from_path(keep.path()).unwrap();
    let top = top.canonicalize_utf8().unwrap();
    let root = top.join("tree/part");
    std::fs::create_dir_all(&root).unwrap();
    let at = |path: &str| Signers {
        path: top.join(path),
        text: String::new(),
    };
    let (near, beside) = (at("tree/part/list"), at("tree/list"));
    // The root is the top of a work tree of its own.
    let file = root.join(".git");
    std::fs::write(&file, "gitdir: elsewhere").unwrap();
    assert!(near.is_inside(&root) && !beside.is_inside(&root));
    std::fs::rename(file, top.join("tree/.git")).unwrap();
    assert!(near.is_inside(&root) && beside.is_inside(&root));
    assert!(!at("list").is_inside(&root));
}

#[test]
fn a_ledger_that_came_from_elsewhere_brings_its_requirement_and_no_list() {
    let gate = Gate {
        required: true,
        moved_from: Some("/one".into()),
        named: Some(Ok(list("ann"))),
        ..Gate::default()
    };
    assert!(gate.is_changed());
    let why = gate.lists().unwrap_err();
    assert!(why.contains("/one") && why.contains("goal trust"), "{why}");
    assert!(gate.objection().unwrap().contains("/one"));
    assert_eq!(Gate::default().objection(), None);
}
