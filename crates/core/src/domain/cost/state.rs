//! What a goal's events say that it cost and how much was tried: sums only, never the events
//! themselves.
//!
//! How much was tried on a goal, as its progress knows it: what stands beside its cost.
//!
//! What a whole turn cost, by somebody who watched it from outside, beside what was recorded of it
//! from inside. Both speak of the same turn, so each counter counts once: at the greater number.
//!
//! Which checkpoint pays for what names no task: the one under way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::cost::budget::Limits;
use crate::domain::forms;
use crate::domain::goal::state::Goal;
use crate::domain::progress::state::Progress;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::time::{millis, rfc3339};

/// Sums by the name of their counter.
pub type Totals = BTreeMap<String, Amount>;

/// Model calls.
pub const LLM_CALLS: &str = "llmCalls";
/// Tokens that went to models, without those that came from a cache.
pub const TOKENS_IN: &str = "tokensIn";
/// Tokens that went to models and came from their cache.
pub const TOKENS_CACHED: &str = "tokensCached";
/// Tokens that came from models.
pub const TOKENS_OUT: &str = "tokensOut";
/// Money, in US dollars.
pub const COST_USD: &str = "costUsd";
/// Time that somebody worked, in seconds; what a runner records of its agents, and the program of its roles.
pub const SECONDS: &str = "seconds";

/// What one goal cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The limits that the user set last.
    pub limits: Limits,
    /// Everything.
    pub total: Totals,
    /// By the task that was named; without one under nothing.
    #[serde(with = "forms::pairs")]
    pub tasks: BTreeMap<Option<String>, Totals>,
    /// By the goal's owner at that time.
    #[serde(with = "forms::pairs")]
    pub owners: BTreeMap<Option<String>, Totals>,
    /// By day in UTC, `2026-11-21`; what has no time under nothing.
    #[serde(with = "forms::pairs")]
    pub days: BTreeMap<Option<String>, Totals>,
    /// Up to where it was counted what each session spent, so that nothing counts twice.
    pub read: BTreeMap<String, u64>,
}

impl Cost {
    /// Adds what was spent on a task of a goal with this owner. What was spent on one that has ended
    /// was spent too.
    pub(in crate::domain) fn spend(
        &mut self,
        counters: &BTreeMap<String, f64>,
        task: Option<&str>,
        owner: Option<&str>,
        at: &str,
    ) {
        let [task, owner] = [task, owner].map(|it| it.map(str::to_owned));
        add(&mut self.total, counters);
        add(self.tasks.entry(task).or_default(), counters);
        add(self.owners.entry(owner).or_default(), counters);
        add(self.days.entry(day(at)).or_default(), counters);
    }
}

/// The day in UTC, of a time that is one.
fn day(at: &str) -> Option<String> {
    let at = rfc3339(millis(at)?);
    Some(at.split('T').next()?.to_owned())
}

/// Adds counters to sums. What is no amount counts nothing.
pub fn add(totals: &mut Totals, counters: &BTreeMap<String, f64>) {
    for (name, number) in counters {
        if let Some(amount) = Amount::of(*number) {
            *totals.entry(name.clone()).or_default() += amount;
        }
    }
}

/// Adds sums to sums.
pub fn merge(totals: &mut Totals, others: &Totals) {
    for (name, amount) in others {
        *totals.entry(name.clone()).or_default() += *amount;
    }
}

/// How much was tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Effort {
    /// Evaluations of progress.
    pub evaluations: u64,
    /// Iterations: each is one tick.
    pub ticks: u64,
    /// The extra escalation was granted.
    pub runway_used: bool,
    /// Escalations after which the next evaluation scored higher than before them.
    pub productive_escalations: u64,
    /// Escalations after which it did not.
    pub unproductive_escalations: u64,
}

impl From<&Progress> for Effort {
    fn from(progress: &Progress) -> Effort {
        Effort {
            evaluations: progress.evaluations,
            ticks: progress.ticks,
            runway_used: progress.runway,
            productive_escalations: progress.escalations.productive,
            unproductive_escalations: progress.escalations.unproductive,
        }
    }
}

/// How much more was reported of each counter than is recorded already.
pub fn beyond(
    reported: &BTreeMap<String, f64>,
    recorded: &BTreeMap<String, f64>,
) -> BTreeMap<String, f64> {
    let more = reported.iter().filter_map(|(name, number)| {
        let before = recorded.get(name).copied().unwrap_or_default();
        let more = Amount::of((number - before).max(0.0))?.number();
        (more > 0.0).then(|| (name.clone(), more))
    });
    more.collect()
}

/// The checkpoint that is worked on; nothing for a goal without tasks, or whose tasks are all done.
/// While a run's iteration on a checkpoint is open, it is that one, also when the agent has just
/// completed it.
pub fn under_way(goal: &Goal) -> Option<&str> {
    let current = current_checkpoint(&goal.tasks, &TaskStatuses::of(&goal.tasks));
    let current = current.map(|task| task.id.as_str());
    let open = &goal.iterations.open;
    let of_current = open.iter().any(|it| it.task.as_deref() == current);
    let latest = open.iter().rev().find_map(|it| it.task.as_deref());
    match goal.runs.open.is_some() && !of_current {
        true => latest
            .filter(|it| goal.tasks.find(it).is_some())
            .or(current),
        false => current,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_day_is_one_in_utc() {
        assert_eq!(day("2026-11-21T23:30:00-01:00").unwrap(), "2026-11-22");
        assert_eq!(day("2026-11-21T20:15:00.123Z").unwrap(), "2026-11-21");
        assert_eq!(day("yesterday"), None);
    }

    #[derive(Debug, Clone)]
    struct Record {
        counter: &'static str,
        thousandths: u32,
        task: Option<&'static str>,
        owner: Option<&'static str>,
        day: u8,
    }

    fn record() -> impl Strategy<Value = Record> {
        let name = || prop::sample::select(&["a", "b", "c"][..]);
        let counter = prop::sample::select(&["llmCalls", "costUsd", "seconds"][..]);
        let (task, owner) = (prop::option::of(name()), prop::option::of(name()));
        (counter, any::<u32>(), task, owner, 1..5u8).prop_map(
            |(counter, thousandths, task, owner, day)| Record {
                counter,
                thousandths,
                task,
                owner,
                day,
            },
        )
    }

    /// What a naive reader sums up: of the records that fit, in thousandths.
    fn naive(records: &[Record], fits: impl Fn(&Record) -> bool) -> BTreeMap<&'static str, u64> {
        let mut sums = BTreeMap::new();
        for record in records.iter().filter(|record| fits(record)) {
            *sums.entry(record.counter).or_default() += u64::from(record.thousandths);
        }
        sums
    }

    fn thousandths(totals: Option<&Totals>) -> BTreeMap<&str, u64> {
        let all = totals.into_iter().flatten();
        all.map(|(name, sum)| (name.as_str(), (sum.number() * 1000.0).round() as u64))
            .collect()
    }

    proptest! {
        #[test]
        fn every_total_is_the_sum_of_its_records(
            records in prop::collection::vec(record(), 0..60),
        ) {
            let mut cost = Cost::default();
            for record in &records {
                let number = f64::from(record.thousandths) / 1000.0;
                let counters = BTreeMap::from([(record.counter.to_owned(), number)]);
                let at = format!("2026-11-0{}T10:00:00.000Z", record.day);
                cost.spend(&counters, record.task, record.owner, &at);
            }
            prop_assert_eq!(thousandths(Some(&cost.total)), naive(&records, |_| true));
            for name in [None, Some("a"), Some("b"), Some("c")] {
                let key = name.map(str::to_owned);
                let of_task = naive(&records, |record| record.task == name);
                prop_assert_eq!(thousandths(cost.tasks.get(&key)), of_task);
                let of_owner = naive(&records, |record| record.owner == name);
                prop_assert_eq!(thousandths(cost.owners.get(&key)), of_owner);
            }
            for day in 1..5u8 {
                let key = Some(format!("2026-11-0{day}"));
                let of_day = naive(&records, |record| record.day == day);
                prop_assert_eq!(thousandths(cost.days.get(&key)), of_day);
            }
        }
    }
}

#[cfg(test)]
mod reported_tests {
    use super::*;

    fn counters(all: &[(&str, f64)]) -> BTreeMap<String, f64> {
        all.iter()
            .map(|(name, number)| ((*name).to_owned(), *number))
            .collect()
    }

    #[test]
    fn what_is_recorded_already_counts_once() {
        let reported = counters(&[("tokensIn", 100.0), ("costUsd", 0.3), ("llmCalls", 2.0)]);
        assert_eq!(beyond(&reported, &counters(&[])), reported);
        let own = counters(&[("costUsd", 0.1), ("llmCalls", 3.0), ("pages", 7.0)]);
        assert_eq!(
            beyond(&reported, &own),
            counters(&[("tokensIn", 100.0), ("costUsd", 0.2)])
        );
        assert_eq!(beyond(&reported, &reported), counters(&[]));
        let wrong = counters(&[("a", f64::NAN), ("b", -1.0), ("c", f64::INFINITY)]);
        assert_eq!(beyond(&wrong, &own), counters(&[]));
    }
}

#[cfg(test)]
mod under_way_tests {
    use super::*;
    use crate::domain::testing::Ledger;

    const CREATED: &str = r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"2026-11-21T20:15:00.000Z"}"#;
    const TASKS: &str = r#""type":"task_list_set","taskCount":2,"blockCompletion":true,"tasks":[{"id":"1","title":"t","tasks":[{"id":"1.1","title":"u"}]},{"id":"2","title":"v"}]"#;
    const RUN: &str = r#""type":"run_started","runId":"r","until":"goal","agent":"x""#;
    const ONE: &str = r#""type":"iteration_started","iterationId":"i","completionPromises":[],"rules":[],"taskId":"1""#;
    const DONE: &str = r#""type":"task_complete","taskId":"1""#;
    const NEXT: &str = r#""type":"iteration_started","iterationId":"j","completionPromises":[],"rules":[],"taskId":"2""#;

    fn pays(events: &[&str]) -> Option<String> {
        let mut ledger = Ledger::default().ours(CREATED);
        for event in events {
            let line = format!(r#"{{{event},"goalId":"a","at":"2026-11-21T20:15:00.000Z"}}"#);
            ledger = ledger.ours(&line);
        }
        let goal = &ledger.replay().0.goals[&"a".parse().unwrap()];
        under_way(goal).map(str::to_owned)
    }

    #[test]
    fn the_checkpoint_under_way_pays() {
        let one = Some("1".to_owned());
        let two = Some("2".to_owned());
        assert_eq!(pays(&[]), None, "there are no tasks");
        assert_eq!(pays(&[TASKS]), one);
        assert_eq!(pays(&[TASKS, DONE]), two);
        let open = [TASKS, RUN, ONE];
        assert_eq!(pays(&open), one);
        let just_done = [&open[..], &[DONE]].concat();
        assert_eq!(pays(&just_done), one, "its turn is not over");
        let next = [&just_done[..], &[NEXT]].concat();
        assert_eq!(pays(&next), two);
        assert_eq!(
            pays(&[TASKS, ONE, DONE]),
            two,
            "without a run a loop may rest"
        );
    }
}
