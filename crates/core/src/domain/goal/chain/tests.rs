//! Every way to a completion that is not gated, line by line.

use super::Audited;
use crate::domain::id::EventId;
use crate::domain::testing::Ledger;

const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"t","by":"user"}"#;

/// Where a chain under construction differs from the honest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bent {
    Nowhere,
    /// Neither `request` nor `start`.
    Unnamed,
    NoRequest,
    NoStart,
    ForeignRequest,
    ForeignStart,
    ForeignResult,
    /// The start names another line than the request.
    OtherRequest,
    /// The result names another line than the start.
    OtherStart,
    /// The start had its result before.
    SecondResult,
    Disapproved,
    OtherRevision,
    /// This line, counted from the request, links to nothing.
    Beginning(usize),
    /// The completion links to an earlier line than its result.
    Detached,
    /// A white line stands between result and completion.
    Blank,
}

struct Chain {
    ledger: Ledger,
    last: EventId,
}

impl Chain {
    fn put(&mut self, line: &str, ours: bool, beginning: bool) -> EventId {
        let zero = format!(
            "{},\"prev\":\"{}\"}}",
            line.trim_end_matches('}'),
            EventId::ZERO
        );
        let line = match (ours, beginning) {
            (false, _) => line.to_owned(),
            (true, true) => zero,
            (true, false) => self.ledger.linked(line),
        };
        self.ledger.append(&line);
        self.last = EventId::of_line(line.as_bytes());
        self.last
    }
}

/// The goal's `audited` after a chain that is bent in one place.
fn audited(bent: Bent) -> Option<Audited> {
    let ledger = Ledger::default().ours(CREATED);
    let revision = ledger.id(ledger.lines()[0].into());
    let last = revision;
    let mut chain = Chain { ledger, last };
    let names = |field: &str, id: EventId| match bent {
        Bent::Unnamed => String::new(),
        _ => format!(",\"{field}\":\"{id}\""),
    };
    let begins = |place| bent == Bent::Beginning(place);
    let mut request = revision;
    if bent != Bent::NoRequest {
        let line = format!(
            r#"{{"type":"completion_requested","goalId":"a","revision":"{revision}","at":"t"}}"#
        );
        request = chain.put(&line, bent != Bent::ForeignRequest, begins(0));
    }
    let named = if bent == Bent::OtherRequest {
        revision
    } else {
        request
    };
    let mut start = revision;
    if bent != Bent::NoStart {
        let line = format!(
            r#"{{"type":"audit_started","goalId":"a","revision":"{revision}"{},"at":"t"}}"#,
            names("request", named)
        );
        start = chain.put(&line, bent != Bent::ForeignStart, begins(1));
    }
    let named = if bent == Bent::OtherStart {
        request
    } else {
        start
    };
    let result = |verdict: &str| {
        let of = if bent == Bent::OtherRevision {
            start
        } else {
            revision
        };
        format!(
            r#"{{"type":"audit_result","goalId":"a","verdict":"{verdict}","report":"r","revision":"{of}"{},"at":"t"}}"#,
            names("start", named)
        )
    };
    if bent == Bent::SecondResult {
        chain.put(&result("disapproved"), true, false);
    }
    let verdict = if bent == Bent::Disapproved {
        "disapproved"
    } else {
        "approved"
    };
    chain.put(&result(verdict), bent != Bent::ForeignResult, begins(2));
    let completed = r#"{"type":"goal_completed","goalId":"a","at":"t"}"#;
    match bent {
        Bent::Detached => {
            let line = format!("{},\"prev\":\"{start}\"}}", completed.trim_end_matches('}'));
            chain.ledger.append(&line);
        }
        Bent::Blank => {
            let line = chain.ledger.linked(completed);
            chain.ledger.append("");
            chain.ledger.append(&line);
        }
        _ => {
            chain.put(completed, true, begins(3));
        }
    }
    let (state, _) = chain.ledger.replay();
    let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
    goal.audited(|line| Ok::<_, ()>(chain.ledger.id(line)))
        .unwrap()
}

#[test]
fn an_unbroken_chain_is_gated() {
    for bent in [Bent::Nowhere, Bent::Blank] {
        assert_eq!(audited(bent), Some(Audited::Gated), "{bent:?}");
    }
}

#[test]
fn a_chain_that_is_broken_anywhere_is_not_gated() {
    let mut broken = vec![
        Bent::Unnamed,
        Bent::NoRequest,
        Bent::NoStart,
        Bent::ForeignRequest,
        Bent::ForeignStart,
        Bent::OtherRequest,
        Bent::OtherStart,
        Bent::SecondResult,
        Bent::Disapproved,
        Bent::OtherRevision,
        Bent::Detached,
    ];
    broken.extend((0..4).map(Bent::Beginning));
    for bent in broken {
        assert_eq!(audited(bent), Some(Audited::None), "{bent:?}");
    }
    assert_ne!(audited(Bent::ForeignResult), Some(Audited::Gated));
}

#[test]
fn the_lines_of_another_goals_chain_gate_nothing() {
    // What an editor makes of an honest chain: the same lines with another goal's id.
    let mut ledger = Ledger::default().ours(CREATED);
    let revision = ledger.id(ledger.lines()[0].into());
    let mut before = revision;
    for (line, field) in [
        (r#""type":"completion_requested""#, None),
        (r#""type":"audit_started""#, Some("request")),
        (
            r#""type":"audit_result","verdict":"approved","report":"r""#,
            Some("start"),
        ),
        (r#""type":"goal_completed""#, None),
    ] {
        let named = field.map_or(String::new(), |field| format!(",\"{field}\":\"{before}\""));
        let line = format!(r#"{{{line},"goalId":"a","revision":"{revision}"{named},"at":"t"}}"#);
        ledger = ledger.ours(&line);
        let last = ledger.lines().len() - 1;
        before = ledger.id(ledger.lines()[last].into());
    }
    let text = String::from_utf8(ledger.bytes.clone()).unwrap();
    let created = Ledger::default().ours(&CREATED.replace("\"a\"", "\"b\""));
    let own = created.id(created.lines()[0].into());
    let copied = text.replace("\"goalId\":\"a\"", "\"goalId\":\"b\"");
    for line in copied.lines().skip(1) {
        ledger.append(&line.replace(&revision.to_string(), &own.to_string()));
    }
    // With the creation that they pretend to follow.
    let mut whole = created;
    whole.bytes.extend_from_slice(&ledger.bytes);
    let (state, _) = whole.replay();
    let goal = state.goals.get(&"b".parse().unwrap()).unwrap();
    let audited = goal.audited(|line| Ok::<_, ()>(whole.id(line)));
    assert_eq!(audited, Ok(Some(Audited::None)));
}

/// How the goal of this ledger came to be complete.
fn audited_in(ledger: &Ledger) -> Option<Audited> {
    let (state, _) = ledger.replay();
    let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
    goal.audited(|line| Ok::<_, ()>(ledger.id(line))).unwrap()
}

/// Whether an approval stands before the completion of this ledger's goal.
fn is_approved(ledger: &Ledger) -> bool {
    let (state, _) = ledger.replay();
    let goal = state.goals.get(&"a".parse().unwrap()).unwrap();
    goal.is_approved()
}

#[test]
fn a_goal_of_another_tool_is_external_only_behind_its_approving_result() {
    let result = |verdict: &str| {
        format!(
            r#"{{"type":"audit_result","goalId":"a","verdict":"{verdict}","report":"r","at":"t"}}"#
        )
    };
    let completed = r#"{"type":"goal_completed","goalId":"a","at":"t"}"#;
    let created = Ledger::default().theirs(CREATED);
    let approved = created.clone().theirs(&result("approved"));
    for (before, audited) in [
        (approved.clone(), Audited::External),
        (
            approved.clone().theirs(&result("disapproved")),
            Audited::External,
        ),
        (
            created.clone().theirs(&result("disapproved")),
            Audited::None,
        ),
        (created, Audited::None),
    ] {
        let ended = before.theirs(completed);
        assert_eq!(audited_in(&ended), Some(audited));
        assert_eq!(is_approved(&ended), audited == Audited::External);
    }
    // A completion of ours does not rest on what another tool said.
    let ended = approved.ours(completed);
    assert_eq!(audited_in(&ended), Some(Audited::None));
    assert!(!is_approved(&ended));
}

#[test]
fn interfaces_show_the_name_that_machines_read() {
    for audited in [Audited::Gated, Audited::External, Audited::None] {
        let json = serde_json::to_value(audited).unwrap();
        assert_eq!(json, audited.name());
    }
}
