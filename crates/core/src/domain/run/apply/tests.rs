//! What is counted of a run, event by event.

use super::*;
use crate::domain::actor::Actor;
use crate::domain::causal::ancestry::LineInGraph;
use crate::domain::event::{Envelope, Event, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::line::LineRef;

fn event(by: Actor, name: &str, fields: &str) -> Event {
    Event {
        goal_id: None,
        payload: Payload::decode(name, fields).unwrap(),
        at: "2026-01-01T00:00:00.000Z".into(),
        envelope: Envelope {
            by: Some(by),
            ..Envelope::default()
        },
    }
}

/// Records an event of the goal.
fn record(runs: &mut Runs, event: &Event) {
    let mut goal = Goal::implicit("a".parse().unwrap(), 0, "t");
    std::mem::swap(&mut goal.runs, runs);
    goal.apply(true, event, LineInGraph::of(LineRef::START, None));
    *runs = goal.runs;
}

const STARTED: &str = r#"{"runId":"r","until":"goal","agent":"a","maxIterations":9}"#;

fn started() -> Runs {
    let mut runs = Runs::default();
    record(&mut runs, &event(Actor::System, "run_started", STARTED));
    runs
}

fn validated(runs: &mut Runs, run: &str, results: &str, agent: &str) {
    let fields = format!(
        r#"{{"iterationId":"i","iteration":0,"results":{results},"runId":"{run}"{agent}}}"#
    );
    record(runs, &event(Actor::System, "iteration_validated", &fields));
}

fn counts(runs: &Runs) -> (u64, u32, u32) {
    let counts = &runs.open.as_ref().unwrap().counts;
    (counts.iterations, counts.empty, counts.failures)
}

#[test]
fn what_comes_of_a_turn_is_progress_and_what_is_said_is_not() {
    let result = |runs: &mut Runs, name: &str, fields: &str| {
        record(runs, &event(Actor::Agent, name, fields));
        validated(runs, "r", "{}", "");
        counts(runs).1
    };
    let mut runs = started();
    assert_eq!(result(&mut runs, "goal_noted", r#"{"note":"n"}"#), 1);
    assert_eq!(result(&mut runs, "completion_requested", "{}"), 2);
    assert_eq!(result(&mut runs, "task_started", r#"{"taskId":"1"}"#), 3);
    let score =
        |score: &str| format!(r#"{{"score":{score},"gapAnalysis":"g","shouldEscalate":false}}"#);
    // The first score is better than none, which is no rise.
    assert_eq!(result(&mut runs, "progress_evaluated", &score("0.4")), 4);
    for (name, fields) in [
        ("evidence_added", r#"{"key":"k","value":"v"}"#),
        ("task_complete", r#"{"taskId":"1"}"#),
        ("goal_tweaked", r#"{"changeSummary":"c"}"#),
    ] {
        assert_eq!(result(&mut runs, name, fields), 0, "{name}");
    }
    // Another program's loop, or an earlier run's, is not this run's.
    validated(&mut runs, "another", "{}", "");
    assert_eq!(counts(&runs), (7, 0, 0));
}

#[test]
fn a_changed_work_tree_and_a_check_that_says_something_else_are_progress() {
    let mut runs = started();
    let check = |pass: bool, output: &str| {
        format!(r#","changed":false,"checks":{{"t":{{"pass":{pass},"output":"{output}"}}}}"#)
    };
    for (more, empty) in [
        (r#","changed":false"#.to_owned(), 1),
        (r#","changed":true"#.to_owned(), 0),
        // What it was before is not known.
        (check(false, "a"), 1),
        (check(false, "a"), 2),
        (check(false, "b"), 0),
        (check(true, "b"), 0),
        (check(true, "b"), 1),
        // What a check that passes writes says nothing.
        (check(true, "c"), 2),
        // Where files cannot be looked at, an iteration counts as neither.
        (r#","checks":{}"#.to_owned(), 2),
        (check(true, "c"), 3),
    ] {
        validated(&mut runs, "r", "{}", &more);
        assert_eq!(counts(&runs).1, empty, "{more}");
    }
}

#[test]
fn failures_are_counted_while_they_are_the_same_and_nothing_progresses() {
    let mut runs = started();
    let failing = |message: &str| format!(r#"{{"t":{{"pass":false,"message":"{message}"}}}}"#);
    let passing = r#"{"t":{"pass":true,"message":"fine"}}"#;
    let same = r#","changed":false,"checks":{"t":{"pass":false,"output":"a"}}"#;
    let other = r#","changed":false,"checks":{"t":{"pass":false,"output":"b"}}"#;
    for (results, more, expected) in [
        // Lines of an earlier version say nothing of the outputs.
        (failing("1 of 2"), "", 1),
        (failing("1 of 2"), "", 2),
        (failing("2 of 2"), "", 1),
        (passing.to_owned(), "", 0),
        (passing.to_owned(), r#","agent":"exit status 1""#, 1),
        (passing.to_owned(), r#","agent":"exit status 1""#, 2),
        (failing("x"), r#","agent":"exit status 1""#, 1),
        (failing("in 3 s"), same, 1),
        (failing("in 4 s"), same, 2),
        (failing("in 4 s"), other, 1),
        (failing("in 4 s"), r#","changed":true"#, 1),
    ] {
        validated(&mut runs, "r", &results, more);
        assert_eq!(counts(&runs).2, expected, "{results} {more}");
    }
}

fn objections(runs: &Runs) -> u32 {
    runs.open.as_ref().unwrap().counts.objections
}

fn judged(runs: &mut Runs, verdict: &str, report: &str) -> u32 {
    let fields = format!(r#"{{"verdict":"{verdict}","report":"{report}"}}"#);
    record(runs, &event(Actor::System, "audit_result", &fields));
    objections(runs)
}

#[test]
fn objections_are_counted_while_they_are_alike() {
    let mut runs = started();
    for (verdict, report, expected) in [
        ("disapproved", "1. No docs.", 1),
        ("disapproved", "- no docs", 2),
        ("error", "", 2),
        ("disapproved", "2. no tests", 1),
        ("approved", "", 0),
    ] {
        validated(
            &mut runs,
            "r",
            "{}",
            r#","changed":true,"promise":"COMPLETE""#,
        );
        assert_eq!(judged(&mut runs, verdict, report), expected, "{report}");
    }
}

#[test]
fn an_objection_to_work_that_did_not_change_is_the_same_whatever_its_words() {
    let idle =
        r#","changed":false,"promise":"COMPLETE","checks":{"t":{"pass":false,"output":"a"}}"#;
    let mut runs = started();
    validated(&mut runs, "r", "{}", idle);
    assert_eq!(judged(&mut runs, "disapproved", "no docs"), 1);
    validated(&mut runs, "r", "{}", idle);
    let evidence = r#"{"key":"k","value":"v"}"#;
    record(&mut runs, &event(Actor::Agent, "evidence_added", evidence));
    assert_eq!(judged(&mut runs, "disapproved", "docs are missing"), 2);
    for (name, fields, more) in [
        (
            "goal_noted",
            r#"{"note":"n"}"#,
            r#","changed":true,"promise":"COMPLETE""#,
        ),
        (
            "goal_noted",
            r#"{"note":"n"}"#,
            &idle.replace(r#""a""#, r#""b""#),
        ),
        // Nobody knows whether files changed.
        ("goal_noted", r#"{"note":"n"}"#, r#","promise":"COMPLETE""#),
        ("goal_tweaked", r#"{"changeSummary":"c"}"#, idle),
        (
            "question_answered",
            r#"{"questionId":"q","answer":"a"}"#,
            idle,
        ),
    ] {
        let mut runs = runs.clone();
        validated(&mut runs, "r", "{}", more);
        record(&mut runs, &event(Actor::User, name, fields));
        assert_eq!(
            judged(&mut runs, "disapproved", "where are docs"),
            1,
            "{name}"
        );
    }
    validated(&mut runs, "r", "{}", idle);
    assert_eq!(judged(&mut runs, "disapproved", "where are docs"), 3);
}

#[test]
fn the_same_output_is_counted_until_something_else_than_files_comes_of_a_turn() {
    let mut runs = started();
    let says = |pass: bool, output: &str| {
        format!(r#","changed":true,"checks":{{"t":{{"pass":{pass},"output":"{output}"}}}}"#)
    };
    let same = |runs: &Runs| runs.open.as_ref().unwrap().counts.same_outputs;
    for (pass, output, expected) in [
        (false, "a", 1),
        (false, "a", 2),
        (false, "b", 1),
        (false, "b", 2),
        (true, "b", 0),
        (false, "b", 1),
        (false, "b", 2),
    ] {
        validated(&mut runs, "r", "{}", &says(pass, output));
        assert_eq!(same(&runs), expected, "{pass} {output}");
    }
    // A checkpoint is complete: a check of the whole goal may fail until the last one.
    let done = event(Actor::Agent, "task_complete", r#"{"taskId":"1"}"#);
    record(&mut runs, &done);
    validated(&mut runs, "r", "{}", &says(false, "b"));
    assert_eq!(same(&runs), 1);
}

/// Who did not say that it is done is not told the same again: the checks asked, and the work goes on.
#[test]
fn only_objections_to_what_the_agent_called_done_are_compared() {
    let mut runs = started();
    let (asked, said) = (r#","promise":"COMPLETE""#, "");
    for (more, expected) in [(said, 0), (said, 0), (asked, 1), (said, 1), (asked, 2)] {
        validated(&mut runs, "r", "{}", &format!(r#","changed":true{more}"#));
        assert_eq!(judged(&mut runs, "disapproved", "no docs"), expected);
    }
}

#[test]
fn runs_in_a_row_that_get_nowhere_are_counted_until_the_user_does_something() {
    let mut runs = Runs::default();
    let ran = |runs: &mut Runs, cause: &str| {
        record(runs, &event(Actor::System, "run_started", STARTED));
        let fields = format!(r#"{{"runId":"r","cause":"{cause}"}}"#);
        record(runs, &event(Actor::System, "run_stopped", &fields));
        runs.in_vain
    };
    let renewed = |runs: &mut Runs, name: &str, fields: &str| {
        record(runs, &event(Actor::User, name, fields));
        runs.in_vain
    };
    assert_eq!(ran(&mut runs, "no_progress"), 1);
    assert_eq!(ran(&mut runs, "interrupted"), 1);
    assert_eq!(ran(&mut runs, "crashed"), 1);
    assert_eq!(ran(&mut runs, "max_iterations"), 2);
    assert_eq!(ran(&mut runs, "checkpoint"), 0);
    for (name, fields) in [
        ("goal_tweaked", r#"{"changeSummary":"c"}"#),
        ("goal_resumed", r#"{"reason":"r"}"#),
        ("question_answered", r#"{"questionId":"q","answer":"a"}"#),
        ("user_prompted", "{}"),
    ] {
        assert_eq!(ran(&mut runs, "same_objection"), 1, "{name}");
        assert_eq!(renewed(&mut runs, name, fields), 0, "{name}");
    }
}

#[test]
fn a_run_that_is_gone_on_with_keeps_its_counts() {
    let mut runs = started();
    validated(&mut runs, "r", "{}", "");
    let stop = |runs: &mut Runs, id: &str| {
        let fields = format!(r#"{{"runId":"{id}","cause":"crashed"}}"#);
        record(runs, &event(Actor::System, "run_stopped", &fields));
    };
    // What another run is said to have come to is not said of this one.
    stop(&mut runs, "another");
    assert!(runs.open.is_some());
    stop(&mut runs, "r");
    assert!(runs.open.is_none());
    let again = r#"{"runId":"r2","until":"goal","agent":"a","resumes":"r"}"#;
    record(&mut runs, &event(Actor::System, "run_started", again));
    assert_eq!(counts(&runs), (1, 1, 0));
    stop(&mut runs, "r2");
    record(&mut runs, &event(Actor::System, "run_started", STARTED));
    assert_eq!(counts(&runs), (0, 0, 0));
}

#[test]
fn a_run_is_heard_of_by_the_lines_of_its_session() {
    let mut runs = Runs::default();
    let mut line = |session: Option<&str>, at: &str, name: &str, fields: &str| {
        let mut event = event(Actor::System, name, fields);
        event.envelope.session = session.map(str::to_owned);
        at.clone_into(&mut event.at);
        record(&mut runs, &event);
        runs.open.clone().unwrap().heard_at
    };
    let note = r#"{"note":"n"}"#;
    let heard = [
        line(Some("run-r"), "1", "run_started", STARTED),
        line(Some("run-r"), "2", "goal_noted", note),
        line(Some("s"), "3", "goal_noted", note),
        line(None, "4", "goal_noted", note),
        line(Some("run-r"), "5", "goal_noted", note),
    ];
    assert_eq!(heard, ["1", "2", "2", "2", "5"]);
}

/// Who waits for something outside cannot do anything before it is there.
#[test]
fn a_turn_that_ends_in_a_wait_is_neither_progress_nor_in_vain() {
    let mut goal = Goal::implicit("a".parse().unwrap(), 0, "t");
    goal.runs = started();
    let mut record = |by: Actor, name: &str, fields: &str| {
        let line = LineInGraph::of(LineRef::START, None);
        goal.apply(true, &event(by, name, fields), line);
        let counts = &goal.runs.open.as_ref().unwrap().counts;
        (
            counts.iterations,
            counts.empty,
            counts.failures,
            counts.same_outputs,
        )
    };
    let validated = r#"{"iterationId":"i","iteration":0,"runId":"r","changed":false,
        "results":{"t":{"pass":false,"message":"m"}},
        "checks":{"t":{"pass":false,"output":"a"}}}"#;
    for turn in 1..=4 {
        record(Actor::Agent, "goal_waiting", r#"{"reason":"CI"}"#);
        let counts = record(Actor::System, "iteration_validated", validated);
        assert_eq!(counts, (turn, 0, 1, 1));
    }
    // The next thing that the agent does ends the wait, and this turn ends without one.
    record(Actor::Agent, "goal_noted", r#"{"note":"CI is red"}"#);
    let counts = record(Actor::System, "iteration_validated", validated);
    assert_eq!(counts, (5, 1, 2, 2));
}
