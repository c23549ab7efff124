//! Every row of the table.

use super::*;
use crate::domain::run::testing::{created, goal, line, validated};

fn is_due(lines: &[String]) -> bool {
    completion_is_due(&goal(lines))
}

fn checks(pass: bool) -> String {
    let signal = if pass { r#","signal":"COMPLETE""# } else { "" };
    validated(
        "{}",
        &format!(r#","checks":{{"t":{{"pass":{pass},"output":"o"}}}}{signal}"#),
    )
}

/// The checks after a turn that promised nothing, and had not failed before.
fn guard() -> String {
    validated("{}", r#","checks":{"t":{"pass":true,"output":"o"}}"#)
}

fn tasks(holds: bool) -> String {
    let fields =
        format!(r#","tasks":[{{"id":"1","title":"one"}}],"taskCount":1,"blockCompletion":{holds}"#);
    line("task_list_set", "user", &fields)
}

fn objection() -> String {
    line(
        "audit_result",
        "system",
        r#","verdict":"disapproved","report":"no""#,
    )
}

#[test]
fn a_request_is_due_until_its_result() {
    let requested = line("completion_requested", "agent", "");
    assert!(!is_due(&[]));
    assert!(is_due(std::slice::from_ref(&requested)));
    assert!(!is_due(&[requested, objection()]));
}

#[test]
fn checks_that_pass_are_due_and_one_that_fails_is_not() {
    let with_checks = created(r#","checks":["t"]"#);
    let due = |lines: &[String]| is_due(&[std::slice::from_ref(&with_checks), lines].concat());
    assert!(!due(&[]));
    assert!(due(&[checks(true)]));
    assert!(!due(&[checks(true), checks(false)]));
    assert!(!due(&[checks(true), objection()]));
    assert!(due(&[checks(true), objection(), checks(true)]));
    assert!(!due(&[guard()]));
    // A goal without checks is not complete by those of somebody else.
    assert!(!is_due(&[checks(true)]));
}

#[test]
fn an_agent_that_failed_has_shown_nothing() {
    let failed = validated(
        "{}",
        r#","agent":"exit status 3","checks":{"t":{"pass":true,"output":"o"}}"#,
    );
    assert!(!is_due(&[created(r#","checks":["t"]"#), failed]));
}

#[test]
fn open_tasks_hold_it_where_they_do() {
    let with_checks = created(r#","checks":["t"]"#);
    let due = |tasks: String| is_due(&[with_checks.clone(), tasks, checks(true)]);
    assert!(!due(tasks(true)));
    assert!(due(tasks(false)));
}

/// What a checkpoint's iteration says of itself is not said of the goal.
#[test]
fn on_a_checkpoint_only_checks_that_failed_before_are_a_sign() {
    let with_checks = created(r#","checks":["t"]"#);
    let started = line(
        "iteration_started",
        "system",
        r#","iterationId":"i","completionPromises":[],"rules":[],"taskId":"1""#,
    );
    let failed = line("check_run", "agent", r#","name":"t","pass":false"#);
    let other = failed.replace(r#""t""#, r#""u""#);
    let tweaked = line("goal_tweaked", "user", r#","changeSummary":"c""#);
    let due = |lines: &[String]| {
        let before = [with_checks.clone(), tasks(false), started.clone()];
        is_due(&[&before[..], lines].concat())
    };
    assert!(!due(&[checks(true)]));
    assert!(!due(&[other, checks(true)]));
    assert!(due(&[failed.clone(), checks(true)]));
    assert!(due(&[checks(false), checks(true)]));
    assert!(!due(&[failed.clone(), tweaked, checks(true)]));
    assert!(!due(&[failed.clone(), objection(), checks(true)]));
    assert!(due(&[failed.clone(), objection(), failed, checks(true)]));
    // How they stood when the run began counts, too: its first turn may have mended them.
    let began = |passing: &str| {
        let id = r#","iterationId":"j","completionPromises":[],"rules":[]"#;
        line(
            "iteration_started",
            "system",
            &format!(r#"{id},"passing":[{passing}]"#),
        )
    };
    assert!(due(&[began(""), checks(true)]));
    assert!(!due(&[began(r#""t""#), checks(true)]));
}

#[test]
fn without_evidence_that_the_contract_asks_for_nothing_is_due() {
    let strict = created(r#","checks":["t"],"verificationContract":"show the output""#);
    let evidence = line("evidence_added", "agent", r#","key":"k","value":"v""#);
    assert!(!is_due(&[strict.clone(), checks(true)]));
    assert!(is_due(&[strict, evidence, checks(true)]));
}

#[test]
fn finished_tasks_are_due_unless_a_check_fails() {
    let done = line("task_complete", "agent", r#","taskId":"1""#);
    assert!(is_due(&[tasks(true), done.clone()]));
    assert!(!is_due(&[tasks(true), done.clone(), objection()]));
    let with_checks = created(r#","checks":["t"]"#);
    assert!(is_due(&[with_checks.clone(), tasks(true), done.clone()]));
    assert!(!is_due(&[with_checks, tasks(true), done, checks(false)]));
}
