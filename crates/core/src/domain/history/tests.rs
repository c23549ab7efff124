//! What histories tell of ledgers in memory.

use super::*;
use crate::domain::testing::Ledger;
use crate::domain::wire::{Decoded, decode};

const REQUESTED: &str = r#""type":"completion_requested","summary":"done","by":"agent","via":"pi""#;
const APPROVED: &str = r#""type":"audit_result","verdict":"approved","report":"fine""#;
const COMPLETED: &str = r#""type":"goal_completed""#;
const RUN: &str = r#""type":"run_started","runId":"r-1","until":"goal","agent":"pi","session":"s""#;

fn line(goal: &str, event: &str) -> String {
    format!(r#"{{{event},"goalId":"{goal}","at":"2026-11-21T20:15:00.000Z"}}"#)
}

fn started(digest: &str) -> String {
    format!(r#""type":"audit_started","command":["judge"],"programs":{{"judge":"{digest}"}}"#)
}

fn objected(report: &str) -> String {
    format!(r#""type":"audit_result","verdict":"disapproved","report":"{report}""#)
}

fn spent(session: &str, seconds: u64) -> String {
    format!(r#""type":"usage_recorded","counters":{{"seconds":{seconds}}},"session":"{session}""#)
}

fn id(goal: &str) -> GoalId {
    goal.parse().unwrap()
}

fn ours(lines: &[(&str, &str)]) -> Ledger {
    let begin = Ledger::default();
    let all = lines.iter();
    all.fold(begin, |ledger, (goal, event)| {
        ledger.ours(&line(goal, event))
    })
}

fn read(ledger: &Ledger, goals: Option<&[GoalId]>) -> History {
    let mut history = History::of(goals);
    for raw in ledger.lines() {
        if let Decoded::Event { event, .. } = decode(&raw) {
            history.event(&raw, &event);
        }
    }
    history
}

/// Where each audit begins, how many lines it has, and the line that completed its goal.
fn audits(history: History) -> Vec<(u64, usize, Option<u64>)> {
    let all = history.into_audits().into_iter();
    let all = all.map(|(_, it)| (it.line(), it.lines.len(), it.completion.map(|it| it.number)));
    all.collect()
}

#[test]
fn an_audit_goes_from_its_request_to_its_result_beside_those_of_other_tools() {
    let ledger = ours(&[("a", REQUESTED), ("a", &started("1"))])
        .theirs(&line("a", &started("9")))
        .ours(&line("b", REQUESTED))
        .ours(&line("a", APPROVED))
        .ours(&line("a", COMPLETED))
        .theirs(&line("a", APPROVED))
        .ours(&line("b", REQUESTED));
    let all = [(1, 3, Some(6)), (3, 2, None), (4, 1, None), (8, 1, None)];
    assert_eq!(audits(read(&ledger, None)), all);
    assert_eq!(audits(read(&ledger, Some(&[id("a")]))), all[..2]);
    let of_a = &read(&ledger, None).goals[&id("a")].audits;
    assert_eq!(of_a[0].via.as_deref(), Some("pi"));
    assert_eq!(of_a[1].by, None, "nobody asked for it");
}

#[test]
fn a_completion_belongs_to_the_result_that_it_links_to() {
    let ledger = ours(&[("a", APPROVED), ("a", REQUESTED), ("a", COMPLETED)]);
    assert_eq!(audits(read(&ledger, None)), [(1, 1, None), (2, 1, None)]);
}

#[test]
fn a_program_changed_since_the_latest_audit_of_whatever_goal() {
    let (one, two) = (started("1"), started("2"));
    let ledger = ours(&[("a", &one), ("b", &one), ("a", APPROVED), ("a", &two)]);
    let history = read(&ledger, Some(&[id("a")]));
    let changed = |at: usize| &history.goals[&id("a")].audits[at].changed;
    assert_eq!(changed(0)[..], []);
    let path = "judge".to_owned();
    assert_eq!(changed(1)[..], [Changed { path, since: 2 }]);
}

#[test]
fn what_came_back_is_told_of_the_goal_as_it_stands() {
    let no_docs = objected("- no docs");
    let ledger = ours(&[("a", &no_docs), ("b", &no_docs), ("a", &no_docs)]);
    let history = read(&ledger, None);
    let goal = Goal::implicit(id("a"), 0, "t");
    let came_back =
        |of: &str| -> Vec<CameBack> { history.goals[&id(of)].came_back(&goal).collect() };
    let found = came_back("a");
    assert_eq!((found.len(), found[0].times, found[0].open), (1, 2, true));
    assert_eq!(came_back("b"), []);
}

#[test]
fn a_run_has_what_was_recorded_until_its_own_stop() {
    let started = r#""type":"iteration_started","iterationId":"i","completionPromises":[],"rules":[],"taskId":"1""#;
    let validated = r#""type":"iteration_validated","iterationId":"i","iteration":1,"results":{},"runId":"r-1""#;
    let stopped = |run: &str| format!(r#""type":"run_stopped","runId":"{run}","cause":"ended""#);
    let created = r#""type":"goal_created","objective":"Sort the packets","sisyphus":false,"autoContinue":true"#;
    let ledger = ours(&[
        ("b", created),
        ("b", &RUN.replace("r-1", "r-2")),
        ("a", RUN),
        ("a", started),
        ("a", &spent("s", 7)),
        ("a", &spent("other", 1)),
        ("b", &spent("s", 100)),
        ("a", &objected("no\\nmore")),
        ("a", &stopped("r-0")),
        ("a", validated),
        ("a", &stopped("r-1")),
        ("a", &spent("s", 1000)),
    ]);
    let mut history = read(&ledger, None);
    let state = ledger.replay().0;
    for (id, past) in &mut history.goals {
        past.finish(
            &state.goals[id],
            (id.as_str() == "b").then_some(Liveness::Live),
        );
    }
    let runs = history.into_runs();
    let live: Vec<bool> = runs.iter().map(|it| it.live).collect();
    assert_eq!(live, [true, false]);
    assert_eq!(runs[0].title, "Sort the packets");
    assert_eq!(runs[1].usage["seconds"], 8.0);
    assert_eq!(runs[1].audits[0].report, "no");
    assert!(runs[0].stopped_at.is_none() && runs[1].stopped_at.is_some());
    let [turn] = &runs[1].turns[..] else {
        panic!("{:?}", runs[1].turns);
    };
    assert_eq!(
        (turn.task_id.as_deref(), turn.seconds),
        (Some("1"), Some(7.0))
    );
}
