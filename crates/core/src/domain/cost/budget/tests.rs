//! Every limit at its boundary, and whose seconds are a checkpoint's.

use super::*;
use crate::domain::testing::Ledger;

const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:15:00.000Z"}"#;

/// A goal after these events, each without its goal and time.
fn goal(events: &[&str]) -> Goal {
    let mut ledger = Ledger::default().ours(CREATED);
    for event in events {
        let line = format!(r#"{{{event},"goalId":"a","at":"2026-11-21T20:15:00.000Z"}}"#);
        ledger = ledger.ours(&line);
    }
    ledger.replay().0.goals[&"a".parse().unwrap()].clone()
}

fn amount(number: f64) -> Amount {
    Amount::of(number).unwrap()
}

#[test]
fn over_is_more_than_the_limit() {
    let spending = |limit: Limit, spent: Amount| {
        let mut all = Spent::default();
        match limit {
            Limit::MaxLlmCalls => all.llm_calls = spent,
            Limit::MaxTokens => all.tokens = spent,
            Limit::MaxSeconds => all.seconds = spent,
            Limit::MaxSecondsPerCheckpoint => all.checkpoint_seconds = spent,
            Limit::CostUsd => all.cost_usd = spent,
        }
        all
    };
    for (limit, most) in [
        (Limit::MaxLlmCalls, 200.0),
        (Limit::MaxSeconds, 7200.0),
        (Limit::MaxSecondsPerCheckpoint, 600.0),
        (Limit::CostUsd, 5.0),
    ] {
        assert_eq!(limit.standard(), Some(amount(most)));
        let standard = Limits::standard();
        for within in [0.0, most - 1e-6, most] {
            let spent = spending(limit, amount(within));
            assert_eq!(exceeded(&standard, &spent), [], "{limit:?} {within}");
        }
        let spent = spending(limit, amount(most + 1e-6));
        let over = exceeded(&standard, &spent);
        assert_eq!(over.len(), 1);
        assert_eq!(over[0].limit, limit);
        assert_eq!(exceeded(&Limits::default(), &spent), [], "no limit, no end");
        let nothing = Limits([(limit, Amount::default())].into());
        assert_eq!(exceeded(&nothing, &Spent::default()), []);
        assert_eq!(exceeded(&nothing, &spending(limit, amount(1e-9))).len(), 1);
    }
}

#[test]
fn tokens_are_those_in_and_out_but_none_from_a_cache() {
    let mut all = vec![
        r#""type":"budget_set","limits":{"maxTokens":150}"#,
        r#""type":"usage_recorded","counters":{"tokensIn":100,"tokensOut":50,"tokensCached":9000}"#,
    ];
    assert_eq!(Spent::of(&goal(&all)).tokens, amount(150.0));
    assert_eq!(over(&goal(&all)), None);
    all.push(r#""type":"usage_recorded","counters":{"tokensOut":1}"#);
    let over = over(&goal(&all)).unwrap();
    assert_eq!(over, "151 of 150 tokens (maxTokens)");
    assert_eq!(Limit::MaxTokens.standard(), None, "`--standard` sets none");
}

#[test]
fn what_is_no_limit_limits_nothing() {
    let said = |text: &str| Limits::read(&serde_json::from_str(text).unwrap());
    assert_eq!(said(r#"{"costUsd":-1,"maxCalls":1}"#), Limits::default());
    let standard = Limits::standard();
    assert_eq!(Limits::read(&standard.written()), standard);
}

#[test]
fn counters_of_the_goal_are_what_is_spent() {
    let goal = goal(&[
        r#""type":"usage_recorded","counters":{"llmCalls":3,"costUsd":0.1,"seconds":7}"#,
        r#""type":"usage_recorded","counters":{"llmCalls":2,"costUsd":0.2,"odd":-4}"#,
    ]);
    let spent = Spent::of(&goal);
    assert_eq!(spent.llm_calls, amount(5.0));
    assert_eq!(spent.cost_usd, amount(0.3));
    assert_eq!(spent.seconds, amount(7.0));
    assert_eq!(spent.checkpoint_seconds, amount(7.0), "the goal itself");
    assert_eq!(goal.cost.total.get("odd"), None, "no amount counts nothing");
}

#[test]
fn a_checkpoint_has_its_own_seconds_with_those_below_it_while_it_is_open() {
    let tasks = r#""type":"task_list_set","taskCount":3,"blockCompletion":true,"tasks":[{"id":"1","title":"t","tasks":[{"id":"1.1","title":"u"}]},{"id":"2","title":"v"}]"#;
    let on = |task: &str, seconds: u32| {
        format!(r#""type":"usage_recorded","counters":{{"seconds":{seconds}}},"taskId":"{task}""#)
    };
    let (one, below, two) = (on("1", 300), on("1.1", 300), on("2", 550));
    let all = [tasks, &*one, &*below, &*two];
    assert_eq!(Spent::of(&goal(&all)).checkpoint_seconds, amount(600.0));
    let without = r#""type":"usage_recorded","counters":{"seconds":9000}"#;
    let more = [&all[..], &[without]].concat();
    assert_eq!(Spent::of(&goal(&more)).checkpoint_seconds, amount(600.0));
    let done = r#""type":"task_complete","taskId":"1.1""#;
    let done = [&all[..], &[done]].concat();
    assert_eq!(Spent::of(&goal(&done)).checkpoint_seconds, amount(550.0));
}

#[test]
fn what_was_gone_over_is_said() {
    let goal = goal(&[
        r#""type":"budget_set","limits":{"maxLlmCalls":2,"costUsd":0.5,"maxSeconds":9}"#,
        r#""type":"usage_recorded","counters":{"llmCalls":3,"costUsd":0.75,"seconds":9}"#,
    ]);
    let over = over(&goal).unwrap();
    assert_eq!(
        over,
        "3 of 2 model calls (maxLlmCalls), 0.75 of 0.5 USD (costUsd)"
    );
}
