//! Every cause at its boundary, and which of several counts.

use super::*;
use crate::domain::run::testing::{created, goal, line, validated};

fn iteration(results: &str) -> String {
    validated(results, "")
}

/// An iteration in which something changed.
fn changed(results: &str) -> String {
    validated(results, r#","changed":true"#)
}

fn note() -> String {
    line("goal_noted", "agent", r#","note":"n""#)
}

fn audit_error() -> String {
    line(
        "audit_result",
        "system",
        r#","verdict":"error","report":"it says nothing","cause":"no_marker""#,
    )
}

#[track_caller]
fn stops(lines: &[String], seen: RunnerSaw, expected: Option<Cause>) {
    assert_eq!(
        stop(&goal(lines), seen, Bounds::default()),
        expected,
        "{lines:#?}"
    );
}

fn nothing() -> RunnerSaw {
    RunnerSaw::default()
}

#[test]
fn a_run_goes_on_while_nothing_holds() {
    stops(&[], nothing(), None);
    stops(&[note(), iteration("{}")], nothing(), None);
}

#[test]
fn only_what_the_gate_completed_is_complete() {
    let gated = RunnerSaw {
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
            RunnerSaw {
                lease_lost: true,
                interrupted: true,
                ..nothing()
            },
            Cause::LeaseLost,
        ),
        (
            RunnerSaw {
                interrupted: true,
                reached: true,
                ..nothing()
            },
            Cause::Interrupted,
        ),
        (
            RunnerSaw {
                reached: true,
                ..nothing()
            },
            Cause::Checkpoint,
        ),
        (
            RunnerSaw {
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
    let between = RunnerSaw {
        between: true,
        ..nothing()
    };
    stops(&[], between, None);
    stops(std::slice::from_ref(&spoke), nothing(), None);
    stops(&[spoke], between, Some(Cause::UserPrompted));
}

#[test]
fn the_third_audit_error_stops_it_unless_the_user_changed_the_goal() {
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
fn an_auditor_that_is_down_stops_it_after_the_time_for_it() {
    let down = || {
        line(
            "audit_result",
            "system",
            r#","verdict":"error","report":"","cause":"timeout""#,
        )
    };
    let waited = |seconds: u64| {
        let fields = format!(r#","runId":"r","cause":"auditor_down","seconds":{seconds}"#);
        line("run_waiting", "system", &fields)
    };
    let lines = [down(), waited(8000), down(), waited(6399), down(), down()];
    stops(&lines, nothing(), None);
    let over = [&lines[..], &[waited(1)]].concat();
    stops(&over, nothing(), Some(Cause::AuditErrors));
    let never = Bounds {
        retry_for: 0,
        ..Bounds::default()
    };
    let stopped = stop(&goal(&lines), nothing(), never);
    assert_eq!(stopped, Some(Cause::AuditErrors));
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
    stops(
        &many(&["x", "x", "x"]),
        nothing(),
        Some(Cause::RepeatedFailure),
    );
    // A failure that is the same while files change is work that goes on.
    let failing = r#"{"t":{"pass":false,"message":"x"}}"#;
    stops(&vec![changed(failing); 4], nothing(), None);
}

#[test]
fn the_third_alike_objection_stops_it_before_the_next_audit() {
    let objects = |report: &str| {
        let fields = format!(r#","verdict":"disapproved","report":"{report}""#);
        line("audit_result", "system", &fields)
    };
    let requested = line("completion_requested", "system", "");
    let promised = validated("{}", r#","changed":true,"promise":"COMPLETE""#);
    let alike = vec![
        promised.clone(),
        objects("1. no docs"),
        objects("- no docs"),
        requested,
    ];
    stops(&alike, nothing(), None);
    let mut third = alike.clone();
    third.insert(3, objects("No docs!"));
    stops(&third, nothing(), Some(Cause::SameObjection));
    third.push(promised);
    third.push(objects("no tests"));
    stops(&third, nothing(), None);
    let bounds = Bounds {
        same_objections: 2,
        ..Bounds::default()
    };
    let stopped = stop(&goal(&alike), nothing(), bounds);
    assert_eq!(stopped, Some(Cause::SameObjection));
}

#[test]
fn the_last_iteration_without_progress_that_is_allowed_stops_it() {
    let empty = |many: usize| vec![iteration("{}"); many];
    stops(&empty(2), nothing(), None);
    stops(&empty(3), nothing(), Some(Cause::NoProgress));
    let mut said = empty(2);
    said.extend([note(), iteration("{}")]);
    stops(&said, nothing(), Some(Cause::NoProgress));
    let mut progress = empty(2);
    progress.push(changed("{}"));
    stops(&progress, nothing(), None);
    let bounds = Bounds {
        empty: 2,
        ..Bounds::default()
    };
    let stopped = stop(&goal(&empty(2)), nothing(), bounds);
    assert_eq!(stopped, Some(Cause::NoProgress));
}

#[test]
fn a_score_that_no_escalation_raised_stops_it() {
    let score = line(
        "progress_evaluated",
        "system",
        r#","score":0.3,"gapAnalysis":"g","shouldEscalate":false"#,
    );
    let escalated = line(
        "goal_escalated",
        "system",
        r#","reason":"r","scoreBefore":0.3"#,
    );
    let trivial = created(r#","difficulty":"trivial""#);
    let lines = [
        trivial,
        score.clone(),
        changed("{}"),
        escalated,
        changed("{}"),
    ];
    stops(&lines, nothing(), None);
    // The evaluation that finds the escalations spent could not grant anything; the next can.
    let found = [&lines[..], &[score.clone(), changed("{}")]].concat();
    stops(&found, nothing(), None);
    let spent = [&found[..], &[score]].concat();
    stops(&spent, nothing(), Some(Cause::NoRise));
    // A run that begins with a goal like that is the user's wish: it is evaluated again first.
    let again = [
        line("run_stopped", "system", r#","runId":"r","cause":"no_rise""#),
        line(
            "run_started",
            "system",
            r#","runId":"s","until":"goal","agent":"x""#,
        ),
    ];
    stops(&[&spent[..], &again].concat(), nothing(), None);
}

#[test]
fn the_last_iteration_of_the_run_stops_it() {
    let done = |many: usize| vec![changed("{}"); many];
    stops(&done(4), nothing(), None);
    stops(&done(5), nothing(), Some(Cause::MaxIterations));
}

#[test]
fn what_the_last_iteration_achieved_is_audited_first() {
    let passed = validated(
        "{}",
        r#","changed":false,"checks":{"t":{"pass":true,"output":"o"}},"signal":"COMPLETE""#,
    );
    let lines = [created(r#","checks":["t"]"#)];
    let lines = [&lines[..], &vec![passed; 5]].concat();
    stops(&lines, nothing(), None);
    let refused = RunnerSaw {
        refused: true,
        ..nothing()
    };
    stops(&lines, refused, Some(Cause::NoProgress));
    let late = RunnerSaw {
        out_of_time: true,
        ..nothing()
    };
    stops(&lines, late, Some(Cause::Deadline));
    let mut paused = lines;
    paused.push(line("goal_paused", "user", r#","reason":"r""#));
    stops(&paused, nothing(), Some(Cause::Paused));
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
        Cause::SameObjection,
        Cause::RepeatedFailure,
        Cause::NoProgress,
        Cause::NoRise,
        Cause::MaxIterations,
        Cause::Waiting,
        Cause::AgentFailed,
        Cause::Error,
        Cause::Crashed,
    ] {
        assert_eq!(serde_json::to_value(cause).unwrap(), cause.name());
    }
}
