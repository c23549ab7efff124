//! Which key seals a transaction, and what is noted at its first use on a ledger.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::domain::id::EventId;
use crate::workspace::testing::{Linked, Project};

const CREATED: &str =
    r#""type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true"#;
const NOTED: &str = r#""type":"goal_noted","goalId":"a","note":"n""#;

/// The key that a transaction would seal with, and the codes of its notices.
fn sealing(workspace: &Workspace) -> (Option<Key>, Vec<Code>) {
    let before = Snapshot::read(&workspace.paths).unwrap();
    let mut notices = Vec::new();
    let key = key(workspace, &before, &mut notices).unwrap();
    (key, notices.iter().map(|notice| notice.code).collect())
}

/// What is known of the project's ledger after a transaction.
fn noted(project: &Project) -> Known {
    let (key, notices) = sealing(&project.workspace());
    assert_eq!(notices, []);
    let known = Known::read(&project.state(), project.root()).unwrap();
    assert_eq!(
        (Some(known.key), &*known.root),
        (key.map(|it| it.id()), project.root())
    );
    known
}

fn record(project: &Project, key: &Key, heads: &[EventId], keys: &[&Key]) {
    let known = Known {
        root: project.root().to_owned(),
        key: key.id(),
        heads: heads.iter().copied().collect(),
        keys: keys.iter().map(|key| key.id()).collect(),
    };
    known.write(&project.state()).unwrap();
}

fn ids(keys: &[&Key]) -> BTreeSet<KeyId> {
    keys.iter().map(|key| key.id()).collect()
}

#[test]
fn without_a_key_that_can_be_used_nothing_is_sealed_and_that_is_said() {
    let project = Project::with(&[] as &[&str]);
    let mut homeless = project.workspace();
    homeless.environment.dirs = None;
    assert_eq!(sealing(&homeless), (None, vec![Code::NotSealed]));

    let (key, notices) = sealing(&project.workspace());
    assert_eq!(notices, []);
    assert_eq!(
        sealing(&project.workspace()),
        (key.clone(), vec![]),
        "it is made once"
    );
    assert!(key.is_some());

    set_permissions(project.state().join("key"), Permissions::from_mode(0o644)).unwrap();
    assert_eq!(sealing(&project.workspace()), (None, vec![Code::NotSealed]));
}

#[test]
fn a_process_that_may_only_read_what_this_key_seals_records_without_a_seal() {
    let project = Project::with(&[] as &[&str]);
    let own = read_or_make(&project.state(), None).unwrap();
    let mut workspace = project.workspace();
    for (read_only, key, notices) in [
        (format!("key:{}", own.id()), None, vec![Code::NotSealed]),
        ("key:00000000".to_owned(), Some(own.clone()), vec![]),
    ] {
        workspace.environment.read_only = Some(read_only);
        assert_eq!(sealing(&workspace), (key, notices));
    }
}

#[test]
fn the_first_use_notes_the_last_lines_and_the_keys_that_were_there() {
    let other = Key::new([2; 32]);
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&other));
    let last = ledger.push(NOTED, None);
    let project = Project::with(&ledger.lines);
    let known = noted(&project);
    assert_eq!(known.heads, BTreeSet::from([last]));
    assert_eq!(known.keys, ids(&[&other]));
}

#[test]
fn what_was_noted_of_a_key_stays_as_it_is() {
    let other = Key::new([2; 32]);
    let mut ledger = Linked::default();
    let first = ledger.push(CREATED, None);
    let project = Project::with(&ledger.lines);
    let own = read_or_make(&project.state(), None).unwrap();
    ledger.push(NOTED, None);
    std::fs::write(project.ledger(), ledger.lines.join("\n") + "\n").unwrap();
    record(&project, &own, &[first], &[&other]);
    let known = noted(&project);
    assert_eq!(
        known.heads,
        BTreeSet::from([first]),
        "not the line that came since"
    );
    assert_eq!(known.keys, ids(&[&other]));
}

#[test]
fn a_new_key_keeps_the_users_word_about_the_keys_of_others() {
    let (lost, accepted, there) = (Key::new([2; 32]), Key::new([3; 32]), Key::new([4; 32]));
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&lost));
    let last = ledger.push(NOTED, Some(&there));
    let project = Project::with(&ledger.lines);
    record(&project, &lost, &[], &[&accepted]);
    let known = noted(&project);
    assert_eq!(known.heads, BTreeSet::from([last]));
    assert_eq!(known.keys, ids(&[&lost, &accepted, &there]));
}

#[test]
fn at_another_path_only_what_the_first_seal_links_to_was_there() {
    let own = Key::new([1; 32]);
    let mut ledger = Linked::default();
    let before = ledger.push(CREATED, None);
    ledger.push(NOTED, Some(&own));
    // What came since, and with whose key, the user was not asked.
    ledger.push(NOTED, Some(&Key::new([2; 32])));
    let project = Project::with(&ledger.lines);
    read_or_make(&project.state(), Some([1; 32])).unwrap();
    let known = noted(&project);
    assert_eq!(known.heads, BTreeSet::from([before]));
    assert_eq!(known.keys, ids(&[]));
}
