//! Evaluations, escalations and what follows from them, agendas, baselines.

use super::*;
use crate::domain::event::{AgendaSet, BaselineCaptured};
use crate::domain::goal::contract::Difficulty;
use crate::domain::progress::advice::{Advice, advice};
use crate::domain::progress::state::AgendaStep;
use crate::domain::progress::{Evaluated, ProgressCommand};
use crate::domain::task::plan::PlanRequest;

fn act(act: ProgressCommand) -> Command {
    Command::Progress { act: Box::new(act) }
}

pub fn evaluate(score: f64) -> Command {
    act(ProgressCommand::Evaluate(Evaluated {
        score,
        gap_analysis: "two beds to go".into(),
        should_escalate: false,
        reasoning: None,
        by_evaluator: false,
    }))
}

pub fn escalate() -> Command {
    act(ProgressCommand::Escalate {
        reason: "nothing grows".into(),
        wanted: PlanRequest::default(),
    })
}

pub fn baseline() -> Command {
    act(ProgressCommand::Baseline(BaselineCaptured {
        text: "three beds".into(),
        command: None,
    }))
}

fn agenda(skills: &[&str]) -> Command {
    let steps = skills.iter().map(|skill| AgendaStep {
        skill: (*skill).into(),
        target: None,
        purpose: "beans".into(),
        done: false,
    });
    act(ProgressCommand::SetAgenda(AgendaSet {
        steps: steps.collect(),
    }))
}

fn done(step: usize) -> Command {
    act(ProgressCommand::AgendaDone { step })
}

/// A goal of this difficulty that was evaluated so, and escalated after each but the last.
fn escalated(difficulty: Difficulty, scores: &[f64]) -> Project {
    let contract = ContractChange {
        difficulty: Some(difficulty),
        ..objective("o")
    };
    let mut project = nothing().has(set_to("a", contract), &user());
    for (at, score) in scores.iter().enumerate() {
        project = project.has(evaluate(*score), &agent());
        if at + 1 < scores.len() {
            project = project.has(escalate(), &user());
        }
    }
    project
}

pub fn spent() -> Project {
    escalated(Difficulty::Trivial, &[0.2, 0.2])
}

fn advised(project: &Project) -> Advice {
    let goal = project.goal("a");
    advice(&goal.progress, goal.contract.difficulty)
}

#[test]
fn only_a_score_from_0_to_1_with_a_gap_is_recorded() {
    for score in [0.0, 0.5, 1.0] {
        one_goal().accepts(evaluate(score), &agent(), &["progress_evaluated"]);
    }
    for score in [
        -0.000_1,
        1.000_1,
        60.0,
        1e308,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ] {
        one_goal().refuses(evaluate(score), &agent(), "invalid_field");
    }
    let silent = act(ProgressCommand::Evaluate(Evaluated {
        score: 0.5,
        gap_analysis: " \n".into(),
        should_escalate: false,
        reasoning: None,
        by_evaluator: true,
    }));
    one_goal().refuses(silent, &agent(), "empty_field");
}

#[test]
fn a_score_suggests_and_completes_nothing() {
    let project = one_goal().accepts(evaluate(1.0), &agent(), &["progress_evaluated"]);
    project.is("a", Status::Active);
    assert_eq!(advised(&project), Advice::SuggestCompletion);
    assert_eq!(
        project.goal("a").revision,
        one_goal().goal("a").revision,
        "an evaluation is no new revision"
    );
}

#[test]
fn what_a_spent_goal_is_granted_goes_with_its_evaluation() {
    let upgraded = ["progress_evaluated", "difficulty_upgraded"];
    let project = escalated(Difficulty::Trivial, &[0.3, 0.2])
        .has(escalate(), &user())
        .accepts(evaluate(0.35), &agent(), &upgraded);
    let goal = project.goal("a");
    assert_eq!(goal.contract.difficulty, Some(Difficulty::Trivial));
    assert_eq!(
        goal.progress.tier(goal.contract.difficulty),
        Difficulty::Simple
    );
    // A tier at a time; two of two are not spent again before another brings nothing.
    assert_eq!(goal.progress.escalations.unproductive, 1);
    let project = project.has(tweak_difficulty(Difficulty::Complex), &user());
    let goal = project.goal("a");
    assert_eq!(
        goal.progress.tier(goal.contract.difficulty),
        Difficulty::Complex
    );
}

fn tweak_difficulty(difficulty: Difficulty) -> Command {
    tweak(ContractChange {
        difficulty: Some(difficulty),
        ..ContractChange::default()
    })
}

#[test]
fn the_runway_is_granted_once_and_lets_one_more_be_tried() {
    let project = escalated(Difficulty::Trivial, &[0.6, 0.5])
        // Spent, and not improving: nothing is granted.
        .accepts(
            evaluate(0.55),
            &agent(),
            &["progress_evaluated", "runway_granted"],
        )
        .accepts(escalate(), &agent(), &["goal_escalated", "plan_requested"])
        .accepts(evaluate(0.55), &agent(), &["progress_evaluated"])
        .accepts(evaluate(0.6), &agent(), &["progress_evaluated"]);
    assert_eq!(advised(&project), Advice::SuggestAbandonment);
    project.is("a", Status::Active);
}

#[test]
fn an_escalation_takes_what_is_there_to_be_granted() {
    // The contract was made easier meanwhile, so what was tried is too much now.
    let project = escalated(Difficulty::Complex, &[0.2, 0.1])
        .has(evaluate(0.3), &agent())
        .has(tweak_difficulty(Difficulty::Trivial), &user());
    assert_eq!(advised(&project), Advice::Upgrade);
    let names = ["difficulty_upgraded", "goal_escalated", "plan_requested"];
    project.accepts(escalate(), &agent(), &names);
}

#[test]
fn only_the_user_escalates_what_is_spent() {
    for caller in [agent(), system()] {
        let refused = spent().refuses(escalate(), &caller, "escalations_spent");
        assert_eq!(
            refused.to_string(),
            "goal a has no escalation left: 1 of 1 did not help"
        );
    }
    let project = spent().accepts(escalate(), &user(), &["goal_escalated", "plan_requested"]);
    let events = &project.ledger.bytes;
    let text = String::from_utf8_lossy(events);
    assert!(text.contains(r#""scoreBefore":0.2"#), "{text}");
}

#[test]
fn an_evaluation_judges_the_escalation_before_it() {
    let project = escalated(Difficulty::Moderate, &[0.2, 0.3, 0.3]);
    let progress = project.goal("a").progress;
    assert_eq!(progress.escalations.productive, 1);
    assert_eq!(progress.escalations.unproductive, 1);
    let escalated = progress.escalated.unwrap();
    assert_eq!(f64::from(escalated.score_before), 0.3);
    assert_eq!(escalated.score_after.map(f64::from), Some(0.3));
}

#[test]
fn only_system_gives_up_and_only_what_is_suggested_to_be() {
    let give_up = || act(ProgressCommand::GiveUp);
    spent().refuses(give_up(), &agent(), "human_owned");
    one_goal().refuses(give_up(), &system(), "nothing_changes");
    let project = spent().has(evaluate(0.2), &agent());
    let project = project.accepts(give_up(), &system(), &["goal_aborted"]);
    project.is("a", Status::Abandoned);
}

#[test]
fn a_spent_goal_is_given_up_only_by_an_evaluation_that_could_have_granted_something() {
    let give_up = || act(ProgressCommand::GiveUp);
    let kept = |project: &Project| {
        project.refuses(give_up(), &system(), "nothing_changes");
    };
    // Found spent, so its latest score is not above the one before: nothing could be granted.
    let found = escalated(Difficulty::Trivial, &[0.45, 0.45]);
    assert_eq!(advised(&found), Advice::SuggestAbandonment);
    kept(&found);
    let (upgrade, runway) = ("difficulty_upgraded", "runway_granted");
    for (score, granted) in [(0.6, upgrade), (0.5, runway)] {
        let names = ["progress_evaluated", granted];
        kept(&found.clone().accepts(evaluate(score), &agent(), &names));
    }
    for score in [0.3, 0.45, 0.499_999] {
        let project = found.clone().has(evaluate(score), &agent());
        assert_eq!(advised(&project), Advice::SuggestAbandonment);
        project.accepts(give_up(), &system(), &["goal_aborted"]);
    }
    // The user tried more than what a grant adds: spent all the same, and not in the same write.
    let beyond = escalated(Difficulty::Trivial, &[0.5, 0.5, 0.5, 0.5]);
    let names = ["progress_evaluated", runway];
    let beyond = beyond.accepts(evaluate(0.55), &agent(), &names);
    assert_eq!(advised(&beyond), Advice::SuggestAbandonment);
    kept(&beyond);
    let beyond = beyond.has(evaluate(0.55), &agent());
    beyond.accepts(give_up(), &system(), &["goal_aborted"]);
}

#[test]
fn a_baseline_is_the_users_and_the_programs() {
    one_goal().refuses(baseline(), &agent(), "human_owned");
    one_goal().accepts(baseline(), &system(), &["baseline_captured"]);
    let project = one_goal().accepts(baseline(), &user(), &["baseline_captured"]);
    assert_eq!(
        project.goal("a").progress.baseline.unwrap().text,
        "three beds"
    );
}

#[test]
fn an_agenda_is_set_whole_and_done_step_by_step() {
    let project = one_goal().accepts(agenda(&["dig", "sow"]), &agent(), &["agenda_set"]);
    project.refuses(agenda(&["dig", "sow"]), &agent(), "nothing_changes");
    let project = project.accepts(done(2), &agent(), &["agenda_set"]);
    let marks: Vec<bool> = project
        .goal("a")
        .progress
        .agenda
        .iter()
        .map(|it| it.done)
        .collect();
    assert_eq!(marks, [false, true]);
    project.refuses(done(2), &agent(), "nothing_changes");
    for step in [0, 3, usize::MAX] {
        project.refuses(done(step), &agent(), "invalid_field");
    }
    one_goal().refuses(done(1), &agent(), "no_agenda");
    one_goal().refuses(agenda(&[" "]), &agent(), "empty_field");
    let most = vec!["dig"; 100];
    one_goal().accepts(agenda(&most), &agent(), &["agenda_set"]);
    let more = vec!["dig"; 101];
    one_goal().refuses(agenda(&more), &agent(), "over_limit");
    let cleared = project.accepts(agenda(&[]), &agent(), &["agenda_set"]);
    assert!(cleared.goal("a").progress.agenda.is_empty());
}

#[test]
fn an_evaluation_is_due_after_ticks_and_checkpoints() {
    use crate::domain::progress::tick::Due;
    let due = |project: &Project| {
        let goal = project.goal("a");
        goal.progress.evaluation_due(&goal.tasks, 3)
    };
    let ticked = |project: Project, number: u32| {
        project.then_ours(&format!(
            r#"{{"type":"iteration_advanced","goalId":"a","iterationId":"i","iteration":{number},"at":"t"}}"#
        ))
    };
    let list = r#"{"type":"task_list_set","goalId":"a","taskCount":3,"blockCompletion":false,"tasks":[{"id":"1","title":"x"},{"id":"2","title":"y"},{"id":"3","title":"z"}],"at":"t"}"#;
    let complete = |project: Project, task: u32| {
        project.then_ours(&format!(
            r#"{{"type":"task_complete","goalId":"a","taskId":"{task}","at":"t"}}"#
        ))
    };
    let started = r#"{"type":"iteration_started","goalId":"a","iterationId":"i","completionPromises":[],"rules":[],"at":"t"}"#;
    let begun = ticked(one_goal().then_ours(list).then_ours(started), 1);
    let project = ticked(ticked(begun, 2), 3);
    assert_eq!(due(&project), None);
    let project = ticked(project, 4);
    assert_eq!(due(&project), Some(Due::Ticks));
    let project = complete(project.has(evaluate(0.1), &agent()), 1);
    assert_eq!(due(&project), None);
    let project = complete(project, 2);
    assert_eq!(due(&project), Some(Due::Checkpoints));
    assert_eq!(due(&project.has(evaluate(0.2), &agent())), None);
}

#[test]
fn an_iteration_is_one_tick_however_its_loop_ends() {
    let line = |name: &str, rest: &str| {
        format!(r#"{{"type":"iteration_{name}","goalId":"a","iterationId":"i",{rest},"at":"t"}}"#)
    };
    let started = line("started", r#""completionPromises":[],"rules":[]"#);
    let validated = |number: u32| {
        line(
            "validated",
            &format!(r#""iteration":{number},"results":{{}}"#),
        )
    };
    let advanced = |number: u32| line("advanced", &format!(r#""iteration":{number}"#));
    let ended = |total: u32| {
        let rest = r#""outcome":"success","summary":"s","elapsedMs":1"#;
        line("completed", &format!(r#"{rest},"totalIterations":{total}"#))
    };
    let ticks = |lines: &[String]| {
        let all = lines
            .iter()
            .fold(one_goal().then_ours(&started), |it, line| {
                it.then_ours(line)
            });
        all.goal("a").progress.ticks
    };
    for (lines, expected) in [
        (vec![validated(1), ended(1)], 1),
        (vec![validated(1), advanced(2), validated(2), ended(2)], 2),
        // `next` came first.
        (vec![advanced(1), validated(1), ended(1)], 1),
        (vec![advanced(1), validated(1), advanced(2)], 1),
        // As earlier versions wrote it.
        (vec![validated(0), ended(0)], 1),
        (vec![validated(0), advanced(1), validated(1), ended(1)], 2),
        // Of no loop that is open.
        (vec![ended(1), advanced(2), ended(2)], 1),
        (vec![validated(1)], 0),
    ] {
        assert_eq!(ticks(&lines), expected, "{lines:?}");
    }
}
