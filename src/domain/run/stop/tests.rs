//! Every cause at its boundary, and which of several counts.

use super::*;
use crate::domain::testing::Ledger;

const STARTED: &str = r#"{"type":"run_started","goalId":"a","runId":"r","until":"goal","agent":"x","maxIterations":5,"at":"","by":"system"}"#;

/// A goal with an open run, and these lines after it.
fn goal(lines: &[&str]) -> Goal {
    let created = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"","by":"user"}"#;
    let mut ledger = Ledger::default().ours(created).ours(STARTED);
    for line in lines {
        ledger = ledger.ours(line);
    }
    let (state, _) = ledger.replay();
    state.goals.values().next().cloned().unwrap()
}

fn line(name: &str, by: &str, fields: &str) -> String {
    format!(r#"{{"type":"{name}","goalId":"a","at":"","by":"{by}"{fields}}}"#)
}

fn iteration(results: &str) -> String {
    let fields = format!(r#","iterationId":"i","iteration":0,"results":{results},"runId":"r""#);
    line("iteration_validated", "system", &fields)
}

fn note() -> String {
    line("goal_noted", "agent", r#","note":"n""#)
}

fn audit_error() -> String {
    line(
        "audit_result",
        "system",
        r#","verdict":"error","report":"down","cause":"timeout""#,
    )
}

#[track_caller]
fn stops(lines: &[String], seen: Seen, expected: Option<Cause>) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(
        stop(&goal(&lines), seen, MOST_EMPTY),
        expected,
        "{lines:#?}"
    );
}

fn nothing() -> Seen {
    Seen::default()
}

#[test]
fn a_run_goes_on_while_nothing_holds() {
    stops(&[], nothing(), None);
    stops(&[note(), iteration("{}")], nothing(), None);
}

#[test]
fn only_what_the_gate_completed_is_complete() {
    let gated = Seen {
        gated: true,
        ..nothing()
    };
    let completed = [line("goal_completed", "system", "")];
    stops(&completed, gated, Some(Cause::Complete));
    stops(&completed, nothing(), Some(Cause::Ended));
}

#[test]
fn how_the_goal_stands_stops_it() {
    let paused = r#","reason":"r""#;
    for (event, cause) in [
        (line("goal_completed", "system", ""), Cause::Ended),
        (line("goal_aborted", "user", paused), Cause::Ended),
        (
            line(
                "goal_aborted",
                "user",
                r#","reason":"r","outcome":"failed""#,
            ),
            Cause::Ended,
        ),
        (line("goal_paused", "agent", paused), Cause::Paused),
        (
            line("goal_paused", "agent", r#","reason":"r","blocked":true"#),
            Cause::Blocked,
        ),
    ] {
        stops(&[event], nothing(), Some(cause));
    }
}

#[test]
fn what_the_runner_saw_stops_it() {
    for (seen, cause) in [
        (
            Seen {
                lease_lost: true,
                interrupted: true,
                ..nothing()
            },
            Cause::LeaseLost,
        ),
        (
            Seen {
                interrupted: true,
                reached: true,
                ..nothing()
            },
            Cause::Interrupted,
        ),
        (
            Seen {
                reached: true,
                ..nothing()
            },
            Cause::Checkpoint,
        ),
        (
            Seen {
                over_budget: true,
                interrupted: true,
                ..nothing()
            },
            Cause::Budget,
        ),
    ] {
        stops(&[], seen, Some(cause));
        let ended = line("goal_aborted", "user", r#","reason":"r""#);
        stops(&[ended], seen, Some(Cause::Ended));
    }
}

#[test]
fn the_users_word_counts_at_a_checkpoints_end() {
    let spoke = line("user_prompted", "user", "");
    let between = Seen {
        between: true,
        ..nothing()
    };
    stops(&[], between, None);
    stops(std::slice::from_ref(&spoke), nothing(), None);
    stops(&[spoke], between, Some(Cause::UserPrompted));
}

#[test]
fn the_third_audit_error_of_one_revision_stops_it() {
    let errors = |many: usize| vec![audit_error(); many];
    stops(&errors(2), nothing(), None);
    stops(&errors(3), nothing(), Some(Cause::AuditErrors));
    let mut moved = errors(3);
    moved.push(line(
        "goal_tweaked",
        "user",
        r#","changeSummary":"c","objective":"p""#,
    ));
    stops(&moved, nothing(), None);
}

#[test]
fn the_third_same_failure_stops_it() {
    let failed = |message: &str| {
        let results = format!(r#"{{"t":{{"pass":false,"message":"{message}"}}}}"#);
        [note(), iteration(&results)]
    };
    let many = |messages: &[&str]| {
        messages
            .iter()
            .flat_map(|it| failed(it))
            .collect::<Vec<_>>()
    };
    stops(&many(&["x", "x"]), nothing(), None);
    stops(&many(&["x", "x", "y"]), nothing(), None);
    stops(
        &many(&["x", "x", "x"]),
        nothing(),
        Some(Cause::RepeatedFailure),
    );
}

#[test]
fn the_last_empty_iteration_that_is_allowed_stops_it() {
    let empty = |many: usize| vec![iteration("{}"); many];
    stops(&empty(2), nothing(), None);
    stops(&empty(3), nothing(), Some(Cause::NoProgress));
    let mut progress = empty(2);
    progress.push(note());
    progress.push(iteration("{}"));
    stops(&progress, nothing(), None);
    let lines = empty(2);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(stop(&goal(&lines), nothing(), 2), Some(Cause::NoProgress));
    assert_eq!(stop(&goal(&lines), nothing(), 3), None);
}

#[test]
fn the_last_iteration_of_the_run_stops_it() {
    let done = |many: usize| {
        let one = [note(), iteration("{}")];
        std::iter::repeat_n(one, many).flatten().collect::<Vec<_>>()
    };
    stops(&done(4), nothing(), None);
    stops(&done(5), nothing(), Some(Cause::MaxIterations));
}

#[test]
fn words_are_those_that_are_written() {
    for cause in [
        Cause::Complete,
        Cause::Ended,
        Cause::LeaseLost,
        Cause::Blocked,
        Cause::Paused,
        Cause::Interrupted,
        Cause::Checkpoint,
        Cause::UserPrompted,
        Cause::Budget,
        Cause::AuditErrors,
        Cause::RepeatedFailure,
        Cause::NoProgress,
        Cause::MaxIterations,
        Cause::Waiting,
        Cause::AgentFailed,
        Cause::Error,
        Cause::Crashed,
    ] {
        assert_eq!(serde_json::to_value(cause).unwrap(), cause.name());
    }
}
