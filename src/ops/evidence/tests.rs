//! What seals, the record of the key's first use and the user's settlements show of a ledger's
//! lines.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::ops::failure::Exit;
use crate::ops::testing::{Linked, Project};
use crate::workspace::keys::read_or_make;

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

/// Records the first use of a key, when these were the last lines.
fn record(project: &Project, key: &Key, heads: &[EventId], accepted: &[&Key]) {
    let known = Known {
        root: project.root().to_owned(),
        key: key.id(),
        heads: heads.iter().copied().collect(),
        last: None,
        keys: accepted.iter().map(|key| key.id()).collect(),
    };
    known.write(&project.state()).unwrap();
}

/// Makes the user's key one that others could have read.
fn spoil_key(project: &Project) {
    fs::set_permissions(project.state().join("key"), Permissions::from_mode(0o644)).unwrap();
}

fn snapshot(project: &Project) -> Snapshot {
    Snapshot::read(&project.workspace().paths).unwrap()
}

fn evidence(project: &Project) -> Evidence {
    Evidence::of(&project.workspace(), &snapshot(project)).unwrap()
}

fn goal(id: &str) -> GoalId {
    id.parse().unwrap()
}

/// The numbers of the unproven lines of the goal `a`, with what is wrong with each.
fn unproven(project: &Project) -> Vec<(u64, Proof)> {
    let found = evidence(project).unproven(&snapshot(project), &goal("a"));
    let found = found.unwrap().into_iter();
    found.map(|it| (it.line.number, it.proof)).collect()
}

fn count(project: &Project) -> u64 {
    let snapshot = snapshot(project);
    let goal = &snapshot.state.goals[&goal("a")];
    let consents = [(&goal.id, &goal.consents[..])].into_iter();
    let found = super::unproven(&project.workspace(), &snapshot, consents).unwrap();
    found.first().map_or(0, |(_, lines)| lines.len() as u64)
}

/// Each finding's line, code and severity.
fn findings(project: &Project) -> Vec<(Option<u64>, Code, Severity)> {
    let mut found = Found::default();
    evidence(project)
        .find(&snapshot(project), &mut found)
        .unwrap();
    let found = found.iter();
    found.map(|it| (it.line, it.code, it.severity)).collect()
}

/// A line that says it is sealed with a key, and was changed since.
fn forge(ledger: &mut Linked, fields: &str) {
    ledger.push(fields, Some(&own()));
    let line = ledger.lines.last_mut().unwrap();
    *line = line.replace(r#""at":"t""#, r#""at":"u""#);
}

/// A ledger with a line of each origin behind the one that was there before the key.
fn mixed() -> (Linked, EventId) {
    let mut ledger = Linked::default();
    let before = ledger.push(CREATED, None);
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
    (ledger, before)
}

#[test]
fn a_line_of_consent_is_unproven_unless_its_seal_or_its_place_proves_it() {
    let (ledger, before) = mixed();
    let project = project(&ledger);
    record(&project, &own(), &[before], &[]);
    let unknown = Proof::UnknownKey(other().id());
    assert_eq!(
        unproven(&project),
        [(3, Proof::Unsealed), (6, unknown), (8, Proof::Forged)]
    );
    assert_eq!(count(&project), 3);
    let found = evidence(&project).unproven(&snapshot(&project), &goal("a"));
    let first = &found.unwrap()[0];
    assert_eq!(first.event, "goal_tweaked");
    assert_eq!(first.id, EventId::of_line(ledger.lines[2].as_bytes()));

    record(&project, &own(), &[before], &[&other()]);
    assert_eq!(
        unproven(&project),
        [(3, Proof::Unsealed), (8, Proof::Forged)]
    );
    assert_eq!(count(&project), 2);
}

#[test]
fn what_is_said_of_a_line_weighs_as_much_as_what_it_decides() {
    use Severity::{Error, Information, Warning};
    let (ledger, before) = mixed();
    let project = project(&ledger);
    record(&project, &own(), &[before], &[]);
    let expected = [
        (3, Code::UnsealedLine, Error),
        (4, Code::UnsealedLine, Error),
        (5, Code::UnsealedLine, Information),
        (6, Code::UnknownKey, Warning),
        (7, Code::UnknownKey, Information),
        (8, Code::InvalidSeal, Error),
        (9, Code::InvalidSeal, Error),
    ];
    let expected = expected.map(|(line, code, severity)| (Some(line), code, severity));
    assert_eq!(findings(&project), expected);
    let mut found = Found::default();
    let of = evidence(&project);
    of.find(&snapshot(&project), &mut found).unwrap();
    let offset = ledger.lines[..2].iter().map(|line| line.len() as u64 + 1);
    assert_eq!(found[0].offset, Some(offset.sum()));
}

#[test]
fn without_a_key_every_line_counts_as_it_stands() {
    let (ledger, before) = mixed();
    let project = Project::with(&ledger.lines);
    record(&project, &own(), &[before], &[]);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));
    assert_eq!(findings(&project), []);
    assert!(own_key(&project.workspace()).is_none());
    let mut homeless = project.workspace();
    homeless.environment.dirs = None;
    assert!(own_key(&homeless).is_none());
    read_or_make(&project.state(), Some([1; 32])).unwrap();
    assert_eq!(own_key(&project.workspace()), Some(own()));
}

#[test]
fn a_key_that_others_could_have_read_is_named_and_proves_nothing() {
    let (ledger, before) = mixed();
    let project = project(&ledger);
    record(&project, &own(), &[before], &[]);
    evidence(&project).usable().unwrap();
    spoil_key(&project);
    assert!(own_key(&project.workspace()).is_none());
    let refused = evidence(&project).usable().unwrap_err();
    assert_eq!((refused.code, refused.exit), ("key_unusable", Exit::Policy));
    assert_eq!(
        findings(&project),
        [(None, Code::KeyUnusable, Severity::Warning)]
    );
}

#[test]
fn before_the_keys_first_use_nothing_is_unproven() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, None);
    ledger.push(TWEAKED, Some(&other()));
    let project = project(&ledger);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));
    // Nor by the record of another key, which was the user's before this one.
    record(&project, &other(), &[], &[]);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));
    // With a record of this key's use on an empty ledger they came later.
    record(&project, &own(), &[], &[]);
    let unknown = Proof::UnknownKey(other().id());
    let expected = vec![(1, Proof::Unsealed), (2, unknown)];
    assert_eq!((unproven(&project), count(&project)), (expected, 2));
    let last = EventId::of_line(ledger.lines[1].as_bytes());
    record(&project, &own(), &[last], &[]);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));
}

#[test]
fn where_nothing_is_recorded_the_first_seal_tells_what_was_there() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, None);
    ledger.push(TWEAKED, Some(&own()));
    ledger.push(TWEAKED, Some(&own()));
    let project = project(&ledger);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));
    ledger.push(TWEAKED, None);
    let project = self::project(&ledger);
    let expected = vec![(4, Proof::Unsealed)];
    assert_eq!((unproven(&project), count(&project)), (expected, 1));
}

/// Counts by a snapshot that read a note, where by now a line of consent stands: only a look at
/// other lines than the goal's own finds it.
fn count_by_own_lines(project: &Project, mut ledger: Linked) -> u64 {
    let write = |ledger: &Linked| {
        let text = ledger.lines.join("\n") + "\n";
        fs::write(project.ledger(), text).unwrap();
    };
    let note = NOTED.replace(r#""n""#, &format!(r#""{}""#, "n".repeat(200)));
    ledger.push(&note, None);
    write(&ledger);
    let snapshot = snapshot(project);
    let goal = &snapshot.state.goals[&goal("a")];
    let len = ledger.lines.pop().unwrap().len();
    ledger.push(TWEAKED, None);
    let echo = ledger.lines.last_mut().unwrap();
    *echo = format!("{echo:len$}");
    write(&ledger);
    let consents = [(&goal.id, &goal.consents[..])].into_iter();
    let found = super::unproven(&project.workspace(), &snapshot, consents).unwrap();
    found.first().map_or(0, |(_, lines)| lines.len() as u64)
}

#[test]
fn a_sealed_line_that_was_moved_to_the_top_shows_nothing_to_be_older() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, None);
    ledger.push(NOTED, Some(&own()));
    // As by an agent: a line of its own making, and a sealed one that links to it.
    let mut echo = Linked::default();
    echo.push(TWEAKED, None);
    echo.push(NOTED, Some(&own()));
    echo.lines.swap(0, 1);
    let honest = ledger.lines.clone();
    ledger.lines = [echo.lines, honest.clone()].concat();
    let project = self::project(&ledger);
    // In the order of replay, in which nothing stands before what it links to.
    let of = [(1, Proof::Unsealed), (3, Proof::Unsealed)];
    assert_eq!(unproven(&project), of);
    // What merged branches share was there before.
    let mut merged = Linked {
        lines: honest[..1].to_vec(),
    };
    merged.push(TWEAKED, Some(&other()));
    merged.lines.insert(1, honest[1].clone());
    merged.push(NOTED, Some(&own()));
    let unknown = (3, Proof::UnknownKey(other().id()));
    assert_eq!(unproven(&self::project(&merged)), [unknown]);
    // Lines of other programs between ours are no such thing.
    ledger.lines = honest;
    ledger.lines.push(format!(r#"{{{NOTED},"at":"t"}}"#));
    ledger.push(NOTED, Some(&own()));
    assert_eq!(unproven(&self::project(&ledger)), []);
}

#[test]
fn a_goal_whose_consent_is_sealed_costs_no_look_at_other_lines() {
    let mut ledger = Linked::default();
    let last = ledger.push(CREATED, Some(&own()));
    let project = project(&ledger);
    record(&project, &own(), &[last], &[]);
    assert_eq!(count_by_own_lines(&project, ledger), 0);
    assert_eq!(unproven(&project), [(2, Proof::Unsealed)]);
}

#[test]
fn what_was_there_before_the_key_costs_no_look_while_nothing_was_put_before_it() {
    let mut ledger = Linked::default();
    ledger.push(CREATED, None);
    let last = ledger.push(NOTED, None);
    let project = project(&ledger);
    record(&project, &own(), &[last], &[]);
    let lines = ledger.lines.clone();
    let again = || Linked {
        lines: lines.clone(),
    };
    assert_eq!(
        count_by_own_lines(&project, again()),
        1,
        "by a record of an earlier version"
    );
    let known = Known::read(&project.state(), project.root()).unwrap();
    fs::write(project.ledger(), lines.join("\n") + "\n\n").unwrap();
    let before = snapshot(&project);
    let last = before
        .state
        .last
        .map(|line| (line, before.id(line).unwrap()));
    assert_eq!(last.map(|(line, _)| line.number), Some(2));
    Known { last, ..known }.write(&project.state()).unwrap();
    assert_eq!(count_by_own_lines(&project, again()), 0);
    assert_eq!(unproven(&project), [(3, Proof::Unsealed)]);

    let mut forged = again();
    forged.lines.insert(
        1,
        format!(
            r#"{{{TWEAKED},"at":"t","by":"user","prev":"{}"}}"#,
            EventId::ZERO
        ),
    );
    assert_eq!(count_by_own_lines(&project, forged), 2);
    assert_eq!(
        unproven(&project),
        [(1, Proof::Unsealed), (4, Proof::Unsealed)]
    );
}

/// A line that changes under a reader shows whether it was looked at.
#[test]
fn what_was_proven_is_not_read_again_while_the_saved_state_vouches_for_it() {
    let mut ledger = Linked::default();
    let first = ledger.push(CREATED, Some(&own()));
    ledger.push(&CREATED.replace(r#""a""#, r#""b""#), Some(&own()));
    for _ in 0..5 {
        ledger.push(NOTED, Some(&own()));
    }
    let project = project(&ledger);
    record(&project, &own(), &[first], &[]);
    let workspace = project.workspace_that_remembers();
    let read = || Snapshot::read(&workspace.paths).unwrap();
    let count_by = |snapshot: &Snapshot| {
        let goals = ["a", "b"].map(|id| &snapshot.state.goals[&goal(id)]);
        let consents = goals.iter().map(|goal| (&goal.id, &goal.consents[..]));
        let found = super::unproven(&workspace, snapshot, consents).unwrap();
        found.len()
    };
    // The first reading saves the state, the second goes on from it.
    assert_eq!(count_by(&read()), 0);
    let reader = read();
    let changed = ledger.lines.join("\n").replacen("\"o\"", "\"x\"", 1) + "\n";
    let as_it_was = fs::read(project.ledger()).unwrap();
    fs::write(project.ledger(), &changed).unwrap();
    assert_eq!(count_by(&reader), 1, "nobody has proven it before");
    fs::write(project.ledger(), &as_it_was).unwrap();
    let reader = read();
    assert_eq!(count_by(&reader), 0);
    fs::write(project.ledger(), &changed).unwrap();
    assert_eq!(count_by(&reader), 0, "remembered");
    assert_eq!(count_by(&read()), 1, "who reads now sees the change");
    fs::write(project.ledger(), &as_it_was).unwrap();
    let reader = read();
    assert_eq!(count_by(&reader), 0);
    fs::write(project.ledger(), &changed).unwrap();
    record(&project, &own(), &[first], &[&other()]);
    assert_eq!(count_by(&reader), 1, "other keys count now");
}

fn settles(kind: &str, lines: &[EventId]) -> String {
    let lines = serde_json::to_string(lines).unwrap();
    format!(r#""type":"goal_settled","kind":"{kind}","lines":{lines},"reason":"r""#)
}

#[test]
fn only_a_settlement_that_is_shown_to_be_the_users_settles() {
    let mut ledger = Linked::default();
    let before = ledger.push(CREATED, Some(&own()));
    let tweaked = ledger.push(TWEAKED, None);
    let echoed = ledger.push(&settles("unproven", &[tweaked]), None);
    let again = ledger.push(&settles("unproven", &[echoed]), None);
    // Another program's line has no link: nobody's consent.
    let theirs = settles("unproven", &[tweaked]);
    ledger.lines.push(format!(r#"{{{theirs},"at":"t"}}"#));
    let with = |ledger: &Linked| {
        let project = project(ledger);
        record(&project, &own(), &[before], &[]);
        project
    };
    let settled = |project: &Project| {
        let settled = evidence(project).settled(&snapshot(project)).unwrap();
        [tweaked, echoed, again].map(|line| settled.takes(line))
    };
    let project = with(&ledger);
    assert_eq!(settled(&project), [false, false, false]);
    assert_eq!(unproven(&project), [(2, Proof::Unsealed)]);

    // The user takes the second settlement, which takes the first, which takes the change.
    ledger.push(&settles("unproven", &[again]), Some(&own()));
    let project = with(&ledger);
    assert_eq!(settled(&project), [true, true, true]);
    assert_eq!((unproven(&project), count(&project)), (vec![], 0));

    spoil_key(&project);
    assert_eq!(settled(&project), [false, false, false], "nothing is shown");
}
