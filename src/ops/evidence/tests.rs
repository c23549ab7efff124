//! What seals, what the user accepted, and the user's settlements show of a ledger's lines.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::ops::failure::Exit;
use crate::ops::testing::{Linked, Project};
use crate::workspace::keys::read_or_make;
use crate::workspace::records::RootRecord;

const CREATED: &str =
    r#""type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true"#;
const TWEAKED: &str = r#""type":"goal_tweaked","goalId":"a","changeSummary":"s","title":"t""#;
const NOTED: &str = r#""type":"goal_noted","goalId":"a","note":"n""#;

fn own() -> Key {
    Key::new([1; 32])
}

fn other() -> Key {
    Key::new([2; 32])
}

/// A project with these lines whose user has the key `own`.
fn project(ledger: &Linked) -> Project {
    let project = Project::with(&ledger.lines);
    read_or_make(&project.state(), Some([1; 32])).unwrap();
    project
}

/// Accepts the ledger, and the keys of these machines.
fn accept(project: &Project, keys: &[&Key]) {
    let beginning = snapshot(project).beginning().unwrap();
    let accepted = Accepted {
        beginnings: beginning.into_iter().collect(),
        keys: keys
            .iter()
            .map(|key| (key.id(), "ann".to_owned()))
            .collect(),
        ..Accepted::none(project.root())
    };
    accepted.write(&project.state(), &own()).unwrap();
}

/// Makes the user's key one that others could have read.
fn spoil_key(project: &Project) {
    fs::set_permissions(project.state().join("key"), Permissions::from_mode(0o644)).unwrap();
}

fn snapshot(project: &Project) -> Snapshot {
    Snapshot::read(&project.workspace().paths).unwrap()
}

fn goal(id: &str) -> GoalId {
    id.parse().unwrap()
}

/// The numbers of the unproven lines of the goal `a`, with what is wrong with each.
fn unproven(project: &Project) -> Vec<(u64, Why)> {
    let (workspace, snapshot) = (project.workspace(), snapshot(project));
    let evidence = Evidence::of(&workspace, &snapshot).unwrap();
    let found = evidence.unproven(&snapshot, &goal("a")).unwrap();
    let found: Vec<(u64, Why)> = found.iter().map(|it| (it.line.number, it.why)).collect();
    // What is shown is what the gate finds.
    let goal = &snapshot.state.goals[&goal("a")];
    let consents = [(&goal.id, &goal.consents[..])].into_iter();
    let shown = evidence.unproven_of(&snapshot, consents).unwrap();
    let lines = shown.iter().flat_map(|(_, lines)| lines);
    let numbers: Vec<u64> = lines.map(|line| line.number).collect();
    assert!(numbers.iter().eq(found.iter().map(|(number, _)| number)));
    found
}

/// Each finding's line, code and severity.
fn findings(project: &Project) -> Vec<(Option<u64>, Code, Severity)> {
    let (workspace, snapshot) = (project.workspace(), snapshot(project));
    let mut found = Findings::default();
    let evidence = Evidence::of(&workspace, &snapshot).unwrap();
    evidence.find(&snapshot, &mut found).unwrap();
    let found = found.iter();
    found.map(|it| (it.line, it.code, it.severity)).collect()
}

/// A line that says it is sealed with a key, and was changed since.
fn forge(ledger: &mut Linked, fields: &str) {
    ledger.push(fields, Some(&own()));
    let line = ledger.lines.last_mut().unwrap();
    *line = line.replace(r#""at":"t""#, r#""at":"u""#);
}

/// A ledger with a line of each origin.
fn mixed() -> Linked {
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&own()));
    ledger.push(TWEAKED, Some(&own()));
    ledger.push(TWEAKED, None);
    ledger.push(&CREATED.replace(r#""a""#, r#""b""#), None);
    ledger.push(NOTED, None);
    ledger.push(TWEAKED, Some(&other()));
    ledger.push(NOTED, Some(&other()));
    forge(&mut ledger, TWEAKED);
    forge(&mut ledger, NOTED);
    // Another program's line has no link, decides nothing, and proves nothing.
    ledger.lines.push(format!(r#"{{{TWEAKED},"at":"t"}}"#));
    ledger
}

#[test]
fn a_line_of_consent_is_unproven_unless_its_seal_proves_it() {
    let project = project(&mixed());
    accept(&project, &[]);
    let unknown = Why::UnknownKey(other().id());
    assert_eq!(
        unproven(&project),
        [(3, Why::Unsealed), (6, unknown), (8, Why::WrongSeal)]
    );
    accept(&project, &[&other()]);
    assert_eq!(
        unproven(&project),
        [(3, Why::Unsealed), (8, Why::WrongSeal)]
    );
}

#[test]
fn what_is_said_of_a_line_weighs_as_much_as_what_it_decides() {
    use Severity::{Error, Information};
    let project = project(&mixed());
    accept(&project, &[]);
    let expected = [
        (3, Code::UnsealedLine, Error),
        (4, Code::UnsealedLine, Error),
        (5, Code::UnsealedLine, Information),
        (6, Code::UnknownKey, Error),
        (7, Code::UnknownKey, Information),
        (8, Code::InvalidSeal, Error),
        (9, Code::InvalidSeal, Error),
    ];
    let expected = expected.map(|(line, code, severity)| (Some(line), code, severity));
    assert_eq!(findings(&project), expected);
}

#[test]
fn a_machine_that_sealed_nothing_here_only_says_what_it_cannot_prove() {
    use Severity::{Error, Information};
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&other()));
    ledger.push(TWEAKED, None);
    forge(&mut ledger, TWEAKED);
    let expected = [
        (1, Code::UnknownKey, Information),
        (3, Code::InvalidSeal, Error),
    ];
    let expected = expected.map(|(line, code, severity)| (Some(line), code, severity));
    let keyless = Project::with(&ledger.lines);
    assert_eq!(findings(&keyless), expected);
    let unknown = Why::UnknownKey(other().id());
    let all = [(1, unknown), (2, Why::Unsealed), (3, Why::WrongSeal)];
    assert_eq!(unproven(&keyless), all);
    assert!(keyless.workspace().own_key().is_none());
    let stranger = Project::with(&ledger.lines);
    read_or_make(&stranger.state(), Some([3; 32])).unwrap();
    assert_eq!(findings(&stranger), expected);
}

#[test]
fn the_own_key_proves_nothing_in_a_ledger_that_the_user_did_not_accept() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&own()));
    ledger.push(TWEAKED, Some(&own()));
    let project = project(&ledger);
    let unknown = Why::UnknownLedger;
    assert_eq!(unproven(&project), [(1, unknown), (2, unknown)]);
    accept(&project, &[]);
    assert_eq!(unproven(&project), []);
}

/// What `cat` brings from another project of the same user.
#[test]
fn the_lines_of_another_ledger_prove_nothing_in_this_one() {
    let mut ledger = Linked::default();
    ledger.push(&CREATED.replace(r#""a""#, r#""b""#), Some(&own()));
    let mut other_ledger = Linked::default();
    other_ledger.push(CREATED, Some(&own()));
    other_ledger.push(TWEAKED, Some(&own()));
    ledger.lines.append(&mut other_ledger.lines);
    let project = project(&ledger);
    accept(&project, &[]);
    // In the order of replay, which is not that of the file.
    let whys = unproven(&project).into_iter().map(|(_, why)| why);
    assert_eq!(whys.collect::<Vec<_>>(), [Why::WrongSeal, Why::WrongSeal]);
    let found = findings(&project).into_iter();
    let wrong = found.map(|(_, code, severity)| (code, severity));
    let expected = [(Code::InvalidSeal, Severity::Error); 2];
    assert_eq!(wrong.collect::<Vec<_>>(), expected);
}

#[test]
fn a_record_that_this_key_did_not_make_is_said_and_proves_nothing() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&other()));
    let project = project(&ledger);
    let beginning = snapshot(&project).beginning().unwrap();
    let accepted = Accepted {
        beginnings: beginning.into_iter().collect(),
        keys: [(other().id(), "ann".to_owned())].into(),
        ..Accepted::none(project.root())
    };
    accepted.write(&project.state(), &other()).unwrap();
    let changed = (None, Code::KeyChanged, Severity::Error);
    assert_eq!(findings(&project)[0], changed);
    assert_eq!(unproven(&project), [(1, Why::UnknownKey(other().id()))]);
}

#[test]
fn a_key_that_others_could_have_read_is_named_and_proves_nothing() {
    let project = project(&mixed());
    accept(&project, &[]);
    let usable = |project: &Project| {
        let (workspace, snapshot) = (project.workspace(), snapshot(project));
        Evidence::of(&workspace, &snapshot).unwrap().usable()
    };
    usable(&project).unwrap();
    spoil_key(&project);
    assert!(project.workspace().own_key().is_none());
    let refused = usable(&project).unwrap_err();
    assert_eq!((refused.code, refused.exit), ("key_unusable", Exit::Policy));
    assert_eq!(
        findings(&project),
        [(None, Code::KeyUnusable, Severity::Warning)]
    );
}

#[test]
fn what_was_checked_is_remembered_and_a_changed_line_is_not_taken_for_it() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&own()));
    let project = project(&ledger);
    accept(&project, &[]);
    assert_eq!(unproven(&project), []);
    let beginnings = snapshot(&project)
        .beginning()
        .unwrap()
        .into_iter()
        .collect();
    let kept = Verified::read(&project.state(), project.root(), &beginnings, &own());
    assert_eq!(kept, beginnings);
    assert_eq!(unproven(&project), []);
    let changed = ledger.lines[0].replace(r#""objective":"o""#, r#""objective":"p""#);
    fs::write(project.ledger(), format!("{changed}\n")).unwrap();
    assert_eq!(unproven(&project), [(1, Why::WrongSeal)]);
}

fn settles(kind: &str, lines: &[EventId]) -> String {
    let lines = serde_json::to_string(lines).unwrap();
    format!(r#""type":"goal_settled","kind":"{kind}","lines":{lines},"reason":"r""#)
}

#[test]
fn only_a_settlement_that_is_shown_to_be_the_users_settles() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, Some(&own()));
    let tweaked = ledger.push(TWEAKED, None);
    let echoed = ledger.push(&settles("unproven", &[tweaked]), None);
    let again = ledger.push(&settles("unproven", &[echoed]), None);
    // Another program's line has no link: nobody's consent.
    let theirs = settles("unproven", &[tweaked]);
    ledger.lines.push(format!(r#"{{{theirs},"at":"t"}}"#));
    let with = |ledger: &Linked| {
        let project = project(ledger);
        accept(&project, &[]);
        project
    };
    let settled = |project: &Project| {
        let workspace = project.workspace();
        let snapshot = snapshot(project);
        let evidence = Evidence::of(&workspace, &snapshot).unwrap();
        let settled = evidence.settled(&snapshot).unwrap();
        [tweaked, echoed, again].map(|line| settled.takes(line))
    };
    let project = with(&ledger);
    assert_eq!(settled(&project), [false, false, false]);
    assert_eq!(unproven(&project), [(2, Why::Unsealed)]);

    // The user takes the second settlement, which takes the first, which takes the change.
    ledger.push(&settles("unproven", &[again]), Some(&own()));
    let project = with(&ledger);
    assert_eq!(settled(&project), [true, true, true]);
    assert_eq!(unproven(&project), []);

    spoil_key(&project);
    assert_eq!(settled(&project), [false, false, false], "nothing is shown");
}
