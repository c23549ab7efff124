//! Usage and budgets: what is recorded, and the one thing that stops work for cost.

use super::*;
use crate::domain::cost::budget::over;
use crate::domain::decide::By;
use crate::domain::decide::with_usage;
use crate::domain::event::GoalNoted;

fn enforce() -> Command {
    Command::Cost {
        act: Box::new(CostCommand::Enforce),
    }
}

fn cleared() -> Command {
    let act = CostCommand::Budget {
        set: Limits::default(),
        clear: Limit::ALL.into(),
    };
    Command::Cost { act: Box::new(act) }
}

const FOREIGN_USAGE: &str =
    r#"{"type":"usage_recorded","goalId":"a","counters":{"llmCalls":9},"at":"t"}"#;

#[test]
fn without_a_budget_nothing_stops() {
    let huge = usage(&[("llmCalls", 1e15), ("costUsd", 1e15), ("seconds", 1e15)]);
    let project = one_goal().accepts(huge, &agent(), &["usage_recorded"]);
    project.is("a", Status::Active);
    let project = project.accepts(go_on(), &system(), &["goal_continued"]);
    project.refuses(enforce(), &system(), "nothing_changes");
}

#[test]
fn going_over_pauses_in_the_same_write_and_exactly_the_limit_does_not() {
    let project = one_goal()
        .accepts(budget(&[(Limit::MaxLlmCalls, 2)]), &user(), &["budget_set"])
        .accepts(usage(&[("llmCalls", 2.0)]), &agent(), &["usage_recorded"]);
    project.is("a", Status::Active);
    let both = ["usage_recorded", "goal_paused"];
    let project = project.accepts(usage(&[("llmCalls", 1.0)]), &agent(), &both);
    let pause = project.goal("a").pause.unwrap();
    assert_eq!(pause.by, Some(Actor::System));
    assert_eq!(
        pause.reason,
        "over budget: 3 of 2 model calls (maxLlmCalls)"
    );
    let action = pause.suggested_action.unwrap();
    assert!(
        action.contains("goal budget --max-llm-calls 5`"),
        "{action}"
    );
    // A second record changes no reason; the user raises the limit and goes on.
    let project = project.accepts(usage(&[("llmCalls", 1.0)]), &agent(), &["usage_recorded"]);
    project.refuses(resume(), &user(), "over_budget");
    project
        .clone()
        .has(budget(&[(Limit::MaxLlmCalls, 4)]), &user())
        .accepts(resume(), &user(), &["goal_resumed"])
        .is("a", Status::Active);
    project
        .has(cleared(), &user())
        .accepts(resume(), &user(), &["goal_resumed"])
        .is("a", Status::Active);
}

#[test]
fn a_budget_below_what_was_spent_pauses_at_once() {
    let project = one_goal().has(usage(&[("costUsd", 1.5)]), &agent());
    let both = ["budget_set", "goal_paused"];
    let project = project.accepts(budget(&[(Limit::CostUsd, 1)]), &user(), &both);
    project.is("a", Status::Paused);
    project.refuses(budget(&[(Limit::CostUsd, 1)]), &user(), "nothing_changes");
}

#[test]
fn what_another_program_recorded_counts_before_the_next_step() {
    let project = one_goal()
        .has(budget(&[(Limit::MaxLlmCalls, 8)]), &user())
        .then_theirs(FOREIGN_USAGE);
    assert!(over(&project.goal("a")).is_some());
    let paused = &["goal_paused"];
    let stopped = project.clone().accepts(go_on(), &system(), paused);
    stopped.is("a", Status::Paused);
    project.refuses(enforce(), &agent(), "human_owned");
    project.accepts(enforce(), &system(), paused);
}

#[test]
fn limits_stay_until_they_are_set_anew_or_taken_away() {
    let project = one_goal()
        .has(budget(&[(Limit::MaxLlmCalls, 2)]), &user())
        .has(budget(&[(Limit::CostUsd, 5)]), &user());
    let limits = project.goal("a").cost.limits;
    let expected = Limits([(Limit::MaxLlmCalls, 2.into()), (Limit::CostUsd, 5.into())].into());
    assert_eq!(limits, expected);
    let project = project.has(cleared(), &user());
    assert_eq!(project.goal("a").cost.limits, Limits::default());
}

#[test]
fn what_is_no_usage_is_refused() {
    for number in [f64::NAN, f64::INFINITY, -1.0, 1e16] {
        let refused = one_goal().refuses(usage(&[("x", number)]), &agent(), "invalid_field");
        assert!(refused.to_string().contains("for `x`"), "{refused}");
    }
    for name in ["", "1st", "a b", "é", &"x".repeat(101)] {
        let refused = one_goal().refuses(usage(&[(name, 1.0)]), &agent(), "invalid_field");
        assert!(
            refused
                .to_string()
                .contains("at most 100 characters in all")
        );
    }
    let longest = usage(&[(&"x".repeat(100), 1.0)]);
    assert!(one_goal().decide_on(None, &longest, &agent()).is_ok());
    one_goal().refuses(usage(&[]), &agent(), "empty_field");
    let names: Vec<String> = (0..51).map(|number| format!("c{number}")).collect();
    let many: Vec<(&str, f64)> = names.iter().map(|name| (name.as_str(), 1.0)).collect();
    one_goal().refuses(usage(&many), &agent(), "invalid_field");
    let act = |usage| Command::Cost {
        act: Box::new(CostCommand::Add(usage)),
    };
    let one = UsageRecorded {
        counters: [("x".to_owned(), 1.0)].into(),
        ..UsageRecorded::default()
    };
    let of_task = UsageRecorded {
        task_id: Some("9".into()),
        ..one.clone()
    };
    one_goal().refuses(act(of_task), &agent(), "unknown_task");
    for model in [" ", "a\u{7}", &"m".repeat(101)] {
        let model = UsageRecorded {
            model: Some(model.into()),
            ..one.clone()
        };
        assert!(one_goal().decide_on(None, &act(model), &agent()).is_err());
    }
}

const TASKS: &str = r#"{"type":"task_list_set","goalId":"a","taskCount":2,"blockCompletion":true,"tasks":[{"id":"1","title":"t"},{"id":"2","title":"v"}],"at":"2026-11-21T20:15:00.000Z"}"#;

/// What is recorded of usage, each with the task that pays for it.
fn paid(events: &[PendingEvent]) -> Vec<(By, Option<String>)> {
    let all = events.iter().filter_map(|event| match &event.payload {
        Payload::UsageRecorded(it) => Some((event.by, it.task_id.clone())),
        _ => None,
    });
    all.collect()
}

#[test]
fn what_an_agent_names_no_task_for_belongs_to_the_checkpoint_under_way() {
    let mut project = one_goal();
    project.ledger = project.ledger.ours(TASKS);
    let spent = |caller| {
        let decided = project.decide_on(None, &usage(&[("x", 1.0)]), &caller);
        paid(&decided.unwrap())
    };
    assert_eq!(spent(agent()), [(By::Caller, Some("1".into()))]);
    assert_eq!(spent(user()), [(By::Caller, None)]);
    assert_eq!(spent(system()), [(By::Caller, None)]);
}

#[test]
fn what_a_role_cost_is_recorded_behind_what_follows_from_it_and_may_pause() {
    let mut project = one_goal().has(budget(&[(Limit::MaxLlmCalls, 1)]), &user());
    project.ledger = project.ledger.ours(TASKS);
    let noted = PendingEvent::to(
        &"a".parse().unwrap(),
        GoalNoted {
            note: "n".into(),
            next: None,
        },
    );
    let call = |calls: f64| UsageRecorded {
        counters: [("llmCalls".to_owned(), calls)].into(),
        role: Some("evaluator".into()),
        ..UsageRecorded::default()
    };
    let types = |calls: f64| {
        let goal = project.goal("a");
        let target = Target {
            goal: &goal,
            revision: None,
            pending: Pending::default(),
        };
        let events = with_usage(Some(target), vec![noted.clone()], Some(&call(calls)));
        assert_eq!(paid(&events), [(By::Rule, Some("1".into()))]);
        let names = events.iter().map(|event| event.payload.name().to_owned());
        names.collect::<Vec<String>>()
    };
    assert_eq!(types(1.0), ["goal_noted", "usage_recorded"]);
    assert_eq!(types(2.0), ["goal_noted", "usage_recorded", "goal_paused"]);
}
