//! Going round: from a start to each of its ends.

use std::collections::BTreeMap;

use super::*;
use crate::domain::event::{IterationStarted, IterationValidated};
use crate::domain::iteration::judge::{Promised, Signal};
use crate::domain::iteration::state::{CheckSeen, IterationOutcome, RuleResult};
use crate::domain::iteration::{IterationCommand, Validated};
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::spec::{Limits, TaskGiven, definitions};
use crate::domain::task::state::TaskStatus;

/// When everything here is decided: a minute after the project's first line.
const NOW: i64 = 1_795_000_060_000;

fn of(act: IterationCommand) -> Command {
    let act = Box::new(act);
    Command::Iteration { act, now: NOW }
}

fn starting(task: Option<&str>, most: u64) -> IterationStarted {
    IterationStarted {
        iteration_id: format!("i{}", task.unwrap_or_default()),
        task_id: task.map(str::to_owned),
        max_iterations: Some(most),
        rules: vec!["lint".into()],
        ..IterationStarted::default()
    }
}

pub(super) fn begin(task: Option<&str>, most: u64) -> Command {
    of(IterationCommand::Start(starting(task, most)))
}

fn next() -> Command {
    of(IterationCommand::Next {
        iteration: None,
        learned: Some("it leaks".into()),
    })
}

pub(super) fn end(outcome: IterationOutcome) -> Command {
    of(IterationCommand::Complete {
        iteration: None,
        outcome,
        summary: "that is that".into(),
    })
}

fn validate_at(current: u64, pass: bool, promise: Option<Signal>) -> Command {
    let message = "seen".to_owned();
    of(IterationCommand::Validate(Validated {
        seen: IterationValidated {
            iteration_id: "i".into(),
            iteration: current,
            results: BTreeMap::from([("lint".to_owned(), RuleResult { pass, message })]),
            ..IterationValidated::default()
        },
        promise: promise.map(|signal| Promised {
            signal,
            reason: Some("no key".into()),
        }),
        ..Validated::default()
    }))
}

/// What a run found of its agent's turn: COMPLETE was promised, and this check of the goal ran.
fn turn(passes: bool, agent: Option<&str>) -> Command {
    let output = "o".to_owned();
    of(IterationCommand::Validate(Validated {
        seen: IterationValidated {
            iteration_id: "i".into(),
            run_id: Some("r".into()),
            agent: agent.map(str::to_owned),
            checks: Some(BTreeMap::from([(
                "tests".to_owned(),
                CheckSeen {
                    pass: passes,
                    output,
                },
            )])),
            ..IterationValidated::default()
        },
        promise: Some(Promised {
            signal: Signal::Complete,
            reason: None,
        }),
        ..Validated::default()
    }))
}

/// What the latest validation came to.
fn signal(project: &Project) -> Option<Signal> {
    let open = project.goal("a").iterations.open;
    open[0].latest.as_ref().unwrap().signal
}

#[test]
fn a_checkpoint_is_not_complete_while_it_has_broken_a_check() {
    let begun = |passing: &[&str]| {
        let starting = IterationStarted {
            iteration_id: "i".into(),
            passing: Some(passing.iter().map(|it| (*it).to_owned()).collect()),
            ..IterationStarted::default()
        };
        one_goal().has(of(IterationCommand::Start(starting)), &agent())
    };
    let broken = begun(&["tests"]).has(turn(false, None), &agent());
    assert_eq!(signal(&broken), None);
    let results = broken.goal("a").iterations.open[0]
        .latest
        .clone()
        .unwrap()
        .results;
    assert_eq!(
        results["tests"].message,
        "it passed when this checkpoint began"
    );
    for (passing, passes) in [(&["tests"][..], true), (&[], false), (&["lint"], false)] {
        let project = begun(passing).has(turn(passes, None), &agent());
        assert_eq!(signal(&project), Some(Signal::Complete), "{passing:?}");
    }
}

#[test]
fn an_agent_that_ended_badly_completes_nothing() {
    let starting = IterationStarted {
        iteration_id: "i".into(),
        ..IterationStarted::default()
    };
    let begun = one_goal().has(of(IterationCommand::Start(starting)), &agent());
    let failed = begun
        .clone()
        .has(turn(true, Some("exit status 3")), &agent());
    assert_eq!(signal(&failed), None);
    // Nor does it where every rule passes.
    let rules = IterationCommand::Validate(Validated {
        seen: IterationValidated {
            iteration_id: "i".into(),
            results: BTreeMap::from([(
                "lint".to_owned(),
                RuleResult {
                    pass: true,
                    message: "fine".into(),
                },
            )]),
            agent: Some("exit status 3".into()),
            ..IterationValidated::default()
        },
        ..Validated::default()
    });
    assert_eq!(signal(&begun.has(of(rules), &agent())), None);
}

fn tasks(titles: &[&str]) -> Command {
    let given = titles.iter().map(|title| TaskGiven {
        title: (*title).to_owned(),
        ..TaskGiven::default()
    });
    let defined = definitions(&given.collect::<Vec<_>>());
    Command::Task {
        act: Box::new(TaskCommand::Add {
            parent: None,
            defined,
        }),
        limits: Limits::default(),
    }
}

fn looping() -> Project {
    one_goal().has(begin(None, 2), &agent())
}

#[test]
fn success_is_shown_and_not_said() {
    let success = || end(IterationOutcome::Success);
    let project = looping();
    project.refuses(success(), &user(), "iteration_state");
    let project = project.accepts(
        validate_at(0, false, Some(Signal::Complete)),
        &agent(),
        &["iteration_validated"],
    );
    project.refuses(success(), &agent(), "iteration_state");
    let project = project.has(validate_at(0, true, None), &agent());
    // Counting up outdates what was shown.
    let moved = project.clone().has(next(), &agent());
    moved.refuses(success(), &agent(), "iteration_state");
    let project = project.accepts(success(), &agent(), &["iteration_completed"]);
    project.is("a", Status::Active);
    let stats = project.goal("a").iterations;
    assert_eq!((stats.open.len(), stats.ended.len()), (0, 1));
    let completed = &stats.ended[0];
    assert!(completed.elapsed_ms > 50_000 && completed.elapsed_ms < 60_000);
    project.refuses(success(), &agent(), "no_iteration");
}

#[test]
fn a_blocking_promise_ends_it_and_blocks_the_goal_at_once() {
    let names = ["iteration_validated", "iteration_completed", "goal_paused"];
    let blocked = validate_at(0, false, Some(Signal::Blocked));
    let project = looping().accepts(blocked, &agent(), &names);
    project.is("a", Status::Blocked);
    let goal = project.goal("a");
    assert_eq!(goal.pause.unwrap().reason, "no key");
    assert!(goal.iterations.open.is_empty());
    // All rules pass, so nothing is in the way.
    let passed = validate_at(0, true, Some(Signal::Blocked));
    let project = looping().accepts(passed, &agent(), &["iteration_validated"]);
    project.is("a", Status::Active);
}

#[test]
fn a_goal_that_is_blocked_already_keeps_its_reason() {
    let names = ["iteration_completed"];
    let project = looping().has(block(), &user());
    let project = project.accepts(end(IterationOutcome::Blocked), &user(), &names);
    assert_eq!(project.goal("a").pause.unwrap().reason, "no can");
}

#[test]
fn at_its_maximum_a_validation_ends_it_with_its_report() {
    let project = looping().has(next(), &agent());
    project.refuses(
        end(IterationOutcome::MaxIterations),
        &agent(),
        "iteration_state",
    );
    let project = project.has(next(), &agent());
    project.refuses(next(), &agent(), "iteration_state");
    let names = ["iteration_validated", "iteration_completed", "goal_paused"];
    let decided = project.decide_on(None, &validate_at(2, false, None), &agent());
    let Payload::IterationCompleted(completed) = &decided.unwrap()[1].payload else {
        panic!("no end");
    };
    assert_eq!(completed.outcome, IterationOutcome::MaxIterations);
    assert_eq!(completed.total_iterations, 2);
    for part in [
        "### What was tried\n\n- Before iteration 1: it leaks",
        "- lint: seen (failed once)",
    ] {
        assert!(completed.summary.contains(part), "{}", completed.summary);
    }
    let ended = project
        .clone()
        .accepts(validate_at(2, false, None), &agent(), &names);
    ended.is("a", Status::Blocked);
    let said = end(IterationOutcome::MaxIterations);
    let names = ["iteration_completed", "goal_paused"];
    let ended = project.clone().accepts(said, &agent(), &names);
    assert!(
        ended.goal("a").iterations.ended[0]
            .summary
            .contains("that is that")
    );
    // What passes at the maximum is a success all the same.
    project.accepts(
        validate_at(2, true, None),
        &agent(),
        &["iteration_validated"],
    );
}

#[test]
fn a_maximum_permits_exactly_so_many_validations() {
    for most in [1, 2, 3] {
        let mut project = one_goal().has(begin(None, most), &agent());
        for number in 1..most {
            let failed = validate_at(number, false, None);
            project = project.accepts(failed, &agent(), &["iteration_validated"]);
            let open = project.goal("a").iterations.open[0].clone();
            assert_eq!((open.current, open.validated()), (number, number));
            project = project.has(next(), &agent());
        }
        let names = ["iteration_validated", "iteration_completed", "goal_paused"];
        let ended = project.accepts(validate_at(most, false, None), &agent(), &names);
        assert_eq!(ended.goal("a").iterations.ended[0].total_iterations, most);
    }
}

#[test]
fn what_counts_is_what_was_validated() {
    let total = |project: Project, outcome| {
        let ended = project.has(end(outcome), &agent());
        ended.goal("a").iterations.ended[0].total_iterations
    };
    let failed = |number| validate_at(number, false, None);
    assert_eq!(total(looping(), IterationOutcome::Blocked), 0);
    let one = looping().has(failed(1), &agent());
    assert_eq!(total(one.clone(), IterationOutcome::Blocked), 1);
    // The second began, and nobody saw what came of it.
    let second = one.clone().has(next(), &agent());
    assert_eq!(total(second, IterationOutcome::Blocked), 1);
    // Validated twice, it is one iteration still.
    let again = one.has(validate_at(1, true, None), &agent());
    assert_eq!(total(again, IterationOutcome::Success), 1);
}

#[test]
fn a_loop_that_an_earlier_version_began_goes_on_in_its_numbers() {
    let line = |rest: &str| format!(r#"{{"type":"iteration_{rest},"goalId":"a","at":"t"}}"#);
    let before = looping()
        .then_ours(&line(
            r#"validated","iterationId":"i","iteration":0,"results":{"lint":{"pass":false,"message":"m"}}"#,
        ))
        .then_ours(&line(r#"advanced","iterationId":"i","iteration":1"#));
    // Of two at most this is the second.
    before.refuses(next(), &agent(), "iteration_state");
    let decided = before.decide_on(None, &validate_at(2, false, None), &agent());
    let decided = decided.unwrap();
    let [validated, completed] = [&decided[0].payload, &decided[1].payload];
    let Payload::IterationValidated(validated) = validated else {
        panic!("no validation");
    };
    let Payload::IterationCompleted(completed) = completed else {
        panic!("no end");
    };
    assert_eq!((validated.iteration, completed.total_iterations), (1, 1));
    let ended = before.has(validate_at(2, false, None), &agent());
    assert_eq!(ended.goal("a").iterations.ended[0].total_iterations, 2);
}

#[test]
fn the_task_is_blocked_and_the_goal_only_when_nothing_else_can_go_on() {
    let blocked = end(IterationOutcome::Blocked);
    let project = one_goal()
        .has(tasks(&["one"]), &agent())
        .has(begin(Some("1"), 2), &agent())
        .accepts(
            blocked.clone(),
            &agent(),
            &["iteration_completed", "task_blocked", "goal_paused"],
        );
    let mark = project.goal("a").tasks.mark("1");
    assert_eq!(mark.status, TaskStatus::Blocked);
    assert_eq!(mark.reason.as_deref(), Some("that is that"));
    // A task that was done in the meantime is not blocked any more.
    let done = Command::Task {
        act: Box::new(TaskCommand::Mark {
            task: "1".into(),
            becomes: TaskStatus::Complete,
            word: Word::default(),
        }),
        limits: Limits::default(),
    };
    one_goal()
        .has(tasks(&["one"]), &agent())
        .has(begin(Some("1"), 2), &agent())
        .has(done, &agent())
        .accepts(blocked, &agent(), &["iteration_completed"]);
}

#[test]
fn there_is_one_for_a_task_and_several_are_named() {
    let project = one_goal()
        .has(tasks(&["one", "two"]), &agent())
        .has(begin(Some("1"), 2), &agent())
        .has(begin(Some("2"), 2), &agent());
    project.refuses(begin(Some("2"), 9), &agent(), "iteration_state");
    project.refuses(begin(Some("3"), 9), &agent(), "unknown_task");
    let several = project.refuses(next(), &agent(), "ambiguous_iteration");
    assert!(several.to_string().contains("i1, i2"), "{several}");
    let named = |id: &str| {
        of(IterationCommand::Next {
            iteration: Some(id.into()),
            learned: None,
        })
    };
    project.refuses(named("i3"), &agent(), "no_iteration");
    project.accepts(named("i2"), &agent(), &["iteration_advanced"]);
}

#[test]
fn what_was_validated_must_still_stand() {
    let moved = looping().has(next(), &agent()).has(next(), &agent());
    for before in [0, 1] {
        moved.refuses(validate_at(before, true, None), &agent(), "iteration_state");
    }
    // What was begun without `next` is iteration 1 as well.
    let project = looping().has(next(), &agent());
    let project = project
        .has(validate_at(1, true, None), &agent())
        .has(end(IterationOutcome::Success), &agent());
    project.refuses(validate_at(1, true, None), &agent(), "iteration_state");
}

#[test]
fn a_start_that_makes_no_sense_is_refused() {
    let with = |change: fn(&mut IterationStarted)| {
        let mut all = starting(None, 3);
        change(&mut all);
        of(IterationCommand::Start(all))
    };
    let many = |all: &mut IterationStarted| all.rules = vec!["r".into(); 51];
    for command in [
        with(|all| all.max_iterations = Some(0)),
        with(many),
        with(|all| all.rules.push(" ".into())),
        with(|all| all.rules.push("a\nb".into())),
        with(|all| all.completion_promises.push("> never".into())),
        with(|all| all.completion_promises = vec!["p".into(); 21]),
    ] {
        let refused = one_goal().refuses(command, &agent(), "invalid_field");
        assert!(refused.to_string().contains('`'), "{refused}");
    }
    one_goal().has(with(|all| all.rules = vec!["r".into(); 50]), &agent());
}
