//! A request that was recorded on several branches: which of the writes count.

use crate::domain::diagnostic::{Code, Severity};
use crate::domain::focus::focused;
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::Status;
use crate::domain::id::EventId;
use crate::domain::testing::Ledger;
use crate::domain::testing::histories::{id_of, ledger_of, merge, told};

/// A branch: its lines.
type Branch = Vec<String>;

/// A line of ours with this time in minutes and this key, behind what the branch has.
fn ours(branch: &mut Branch, at: u32, key: &str, body: &str) -> EventId {
    let key = match key {
        "" => String::new(),
        key => format!(r#","requestKey":"{key}""#),
    };
    let line = format!(r#"{{{body},"at":"2026-11-21T20:{at:02}:00.000Z","by":"user"{key}}}"#);
    let (state, _) = ledger_of(branch).replay();
    let prev = branch.last().map_or(EventId::ZERO, |last| id_of(last));
    let also = state.heads.iter().filter(|(_, id)| *id != prev);
    let also: Vec<String> = also.map(|(_, id)| format!("\"{id}\"")).collect();
    let links = match &also[..] {
        [] => format!(r#","prev":"{prev}"}}"#),
        _ => format!(r#","prev":"{prev}","also":[{}]}}"#, also.join(",")),
    };
    let line = format!("{}{links}", line.strip_suffix('}').unwrap());
    branch.push(line.clone());
    id_of(&line)
}

fn of(goal: &str, kind: &str, more: &str) -> String {
    format!(r#""type":"{kind}","goalId":"{goal}"{more}"#)
}

fn created(goal: &str) -> String {
    let more = r#","objective":"o","sisyphus":false,"autoContinue":true"#;
    of(goal, "goal_created", more)
}

fn note(text: &str) -> String {
    of("g", "goal_noted", &format!(r#","note":"{text}""#))
}

fn spent() -> String {
    of("g", "usage_recorded", r#","counters":{"llmCalls":1}"#)
}

fn base() -> Branch {
    let mut base = Branch::new();
    ours(&mut base, 0, "", &created("g"));
    base
}

/// The branches as one file, in whichever order they are merged.
#[track_caller]
fn merged(branches: &[&Branch]) -> Ledger {
    let whole = |branches: &mut dyn Iterator<Item = &&Branch>| {
        let mut file = Branch::new();
        branches.for_each(|branch| merge(&mut file, branch, false));
        ledger_of(&file)
    };
    let one = whole(&mut branches.iter());
    assert_eq!(told(&one), told(&whole(&mut branches.iter().rev())));
    one
}

fn lines(ledger: &Ledger) -> Branch {
    let text = String::from_utf8(ledger.bytes.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The findings of repeated requests: the line, and whether it counts.
fn repeated(ledger: &Ledger) -> Vec<(u64, bool)> {
    let (_, found) = ledger.replay();
    let repeated = found.iter().filter(|it| it.code == Code::RepeatedRequest);
    repeated
        .map(|it| {
            assert_eq!(it.severity, Severity::Information);
            (it.line.unwrap(), it.message.contains("both count"))
        })
        .collect()
}

#[track_caller]
fn notes(ledger: &Ledger) -> Vec<String> {
    let (state, _) = ledger.replay();
    let goal = state.goals.get(&"g".parse().unwrap()).unwrap();
    goal.notes.iter().map(|it| it.text.clone()).collect()
}

#[test]
fn a_request_counts_once_and_the_first_in_the_order_does() {
    let (mut one, mut other) = (base(), base());
    ours(&mut one, 2, "k", &note("second"));
    ours(&mut one, 3, "", &note("third"));
    ours(&mut other, 1, "k", &note("first"));
    ours(&mut other, 1, "k", &spent());
    ours(&mut one, 4, "l", &spent());
    ours(&mut other, 5, "l", &spent());
    let both = merged(&[&one, &other]);
    assert_eq!(notes(&both), ["first", "third"]);
    assert_eq!(repeated(&both), [(2, false), (7, false)]);
    let (state, _) = both.replay();
    let goal = state.goals.get(&"g".parse().unwrap()).unwrap();
    assert_eq!(goal.cost.total["llmCalls"].to_string(), "2");
    // The first write is the answer to whoever asks again.
    assert_eq!(state.requests.candidates("k", Vec::new()).len(), 2);
    assert_eq!(state.requests.candidates("l", Vec::new()).len(), 1);
}

#[test]
fn what_its_writer_had_seen_is_no_repetition() {
    let mut one = base();
    let mut other = one.clone();
    ours(&mut one, 1, "k", &note("first"));
    // So old that it is no longer remembered.
    ours(&mut one, 2, "k", &note("second"));
    assert_eq!(notes(&ledger_of(&one)), ["first", "second"]);
    ours(&mut other, 3, "", &note("aside"));
    let both = merged(&[&one, &other]);
    assert_eq!(notes(&both), ["first", "second", "aside"]);
    // Beside them both it is one.
    ours(&mut other, 4, "k", &note("third"));
    let both = merged(&[&one, &other]);
    assert_eq!(notes(&both), ["first", "second", "aside"]);
    assert_eq!(repeated(&both), [(5, false)]);
    // And it goes on from there as one chain.
    let mut both = lines(&both);
    ours(&mut both, 5, "k", &note("fourth"));
    assert_eq!(notes(&ledger_of(&both)).last().unwrap(), "fourth");
    assert_eq!(repeated(&ledger_of(&both)), [(5, false)]);
}

#[test]
fn of_three_branches_the_first_counts() {
    let mut branches = [base(), base(), base()];
    for (branch, at) in branches.iter_mut().zip([3, 1, 2]) {
        ours(branch, at, "k", &note(&format!("n{at}")));
    }
    let [one, two, three] = &branches;
    assert_eq!(notes(&merged(&[one, three])), ["n2"]);
    let all = merged(&[one, two, three]);
    assert_eq!((notes(&all), repeated(&all).len()), (vec!["n1".into()], 2));
}

#[test]
fn lines_that_others_build_on_count_both() {
    let (mut one, mut other) = (base(), base());
    let tweak = |objective: &str| {
        let more = format!(r#","changeSummary":"s","objective":"{objective}""#);
        of("g", "goal_tweaked", &more)
    };
    ours(&mut one, 1, "k", &tweak("both"));
    let tweaked = ours(&mut other, 2, "k", &tweak("both"));
    ours(&mut other, 2, "k", &note("beside"));
    let revision = format!(r#","revision":"{tweaked}""#);
    let request = of("g", "completion_requested", &revision);
    let request = ours(&mut other, 3, "c", &request);
    let start = format!(r#"{revision},"request":"{request}""#);
    let start = ours(&mut other, 4, "", &of("g", "audit_started", &start));
    let result =
        format!(r#"{revision},"start":"{start}","verdict":"approved","report":"<approved/>""#);
    ours(&mut other, 5, "", &of("g", "audit_result", &result));
    ours(&mut other, 5, "", &of("g", "goal_completed", ""));
    // The same request on the other side, which nobody audited.
    let revision = id_of(one.last().unwrap());
    let again = format!(r#","revision":"{revision}""#);
    ours(&mut one, 2, "c", &of("g", "completion_requested", &again));
    let both = merged(&[&one, &other]);
    let (state, _) = both.replay();
    let goal = state.goals.get(&"g".parse().unwrap()).unwrap();
    assert_eq!((goal.status, &goal.contest), (Status::Complete, &None));
    let audited = goal.audited(|line| Ok::<_, ()>(both.id(line))).unwrap();
    assert_eq!(audited, Some(Audited::Gated));
    // A write counts as a whole or not at all.
    assert_eq!(notes(&both), ["beside"]);
    assert_eq!(repeated(&both), [(4, true), (6, true)]);
}

#[test]
fn a_second_goal_is_left_out_unless_somebody_worked_on_it() {
    let (mut one, mut other) = (base(), base());
    for (branch, goal, at) in [(&mut one, "a", 1), (&mut other, "b", 2)] {
        ours(branch, at, "k", &created(goal));
        ours(
            branch,
            at,
            "k",
            &of(goal, "goal_focused", r#","reason":"r""#),
        );
    }
    let both = merged(&[&one, &other]);
    let (state, _) = both.replay();
    assert!(!state.goals.contains_key("b"));
    assert_eq!(focused(&state, None).map(|id| id.as_str()), Some("a"));
    assert_eq!(repeated(&both), [(4, false)]);
    for more in [
        of("b", "goal_noted", r#","note":"n""#),
        // It is only named.
        of("g", "goal_delegated", r#","childGoalId":"b","to":"t""#),
    ] {
        let mut other = other.clone();
        ours(&mut other, 3, "", &more);
        let both = merged(&[&one, &other]);
        let (state, _) = both.replay();
        assert!(state.goals.contains_key("a") && state.goals.contains_key("b"));
        assert_eq!(repeated(&both), [(4, true)]);
    }
    // Whoever knew of both had no such goal.
    let mut both = lines(&both);
    ours(&mut both, 4, "", &note("b"));
    let (state, _) = ledger_of(&both).replay();
    assert!(!state.goals.contains_key("b"));
}

#[test]
fn a_goal_that_no_other_line_made_keeps_its_first_line() {
    let mut base = Branch::new();
    ours(&mut base, 0, "", &created("other"));
    let (mut one, mut other) = (base.clone(), base);
    ours(&mut one, 1, "k", &note("first"));
    ours(&mut other, 2, "k", &note("second"));
    let both = merged(&[&one, &other]);
    assert_eq!(notes(&both), ["first", "second"]);
    assert_eq!(repeated(&both), [(3, true)]);
}
