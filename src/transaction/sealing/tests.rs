//! What a transaction seals with, and when it accepts a ledger.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::workspace::testing::{Linked, Project};

const CREATED: &str =
    r#""type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true"#;

/// What a transaction would seal with.
fn with(workspace: &Workspace, notices: &mut Vec<Diagnostic>) -> Option<Sealing> {
    let before = Snapshot::read(&workspace.paths).unwrap();
    super::prepare_sealing(workspace, &before, notices).unwrap()
}

/// The key that a transaction would seal with, and the codes of its notices.
fn sealing(workspace: &Workspace) -> (Option<Key>, Vec<Code>) {
    let mut notices = Vec::new();
    let key = with(workspace, &mut notices).map(|it| it.key);
    (key, notices.iter().map(|notice| notice.code).collect())
}

/// What is accepted of the project's ledger.
fn accepted(project: &Project) -> Vec<EventId> {
    let own = read_or_make(&project.state(), None).unwrap();
    let kept = Accepted::read(&project.state(), project.root(), Some(&own));
    kept.valid().map(|it| it.beginnings).unwrap_or_default()
}

/// Records as this actor; whether that accepts the ledger, and says so.
fn record(project: &Project, actor: Actor, first: EventId) -> bool {
    let workspace = project.workspace();
    let sealing = with(&workspace, &mut Vec::new()).unwrap();
    assert_eq!(sealing.accept_begun_here(&workspace, Some(first)), None);
    sealing.accept_on_first_act(&workspace, actor).is_some()
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
        (
            format!("key:{}", Key::new([9; 32]).id()),
            Some(own.clone()),
            vec![],
        ),
    ] {
        workspace.environment.read_only = Some(read_only);
        assert_eq!(sealing(&workspace), (key, notices));
    }
}

#[test]
fn whoever_begins_a_ledger_has_it_accepted() {
    let project = Project::with(&[] as &[&str]);
    let workspace = project.workspace();
    let sealing = with(&workspace, &mut Vec::new()).unwrap();
    assert_eq!(sealing.beginning, None);
    let first = EventId::of_line(b"first");
    assert!(!record(&project, Actor::Agent, first), "nothing to say");
    assert_eq!(accepted(&project), [first]);
}

#[test]
fn a_ledger_that_was_there_is_accepted_by_the_user_and_nobody_else() {
    let mut ledger = Linked::default();
    let beginning = ledger.push(CREATED, None);
    let project = Project::with(&ledger.lines);
    let next = EventId::of_line(b"next");
    assert!(!record(&project, Actor::Agent, next));
    assert_eq!(accepted(&project), []);
    assert!(record(&project, Actor::User, next));
    assert_eq!(accepted(&project), [beginning]);
    assert!(!record(&project, Actor::User, next), "it is said once");
}

#[test]
fn a_merge_that_puts_another_ledger_first_does_not_change_what_is_sealed_for() {
    let mut ledger = Linked::default();
    let beginning = ledger.push(CREATED, None);
    let project = Project::with(&ledger.lines);
    assert!(record(&project, Actor::User, beginning));
    let mut other = Linked::default();
    other.push(&CREATED.replace(r#""a""#, r#""b""#), None);
    let merged = [&other.lines[..], &ledger.lines[..]].concat().join("\n");
    std::fs::write(project.ledger(), merged + "\n").unwrap();
    let workspace = project.workspace();
    let sealing = with(&workspace, &mut Vec::new()).unwrap();
    assert_eq!(sealing.beginning, Some(beginning));
}

#[test]
fn an_own_ledger_that_cannot_be_accepted_is_said() {
    let project = Project::with(&[] as &[&str]);
    let workspace = project.workspace();
    let sealing = with(&workspace, &mut Vec::new()).unwrap();
    std::fs::write(project.state().join("accepted"), "no directory").unwrap();
    let said = sealing.accept_begun_here(&workspace, Some(EventId::of_line(b"x")));
    assert_eq!(said.unwrap().code, Code::LedgerUnknown);
}
