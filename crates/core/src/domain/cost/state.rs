//! What a goal's events say that it cost: sums only, never the events themselves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::cost::limits::Limits;
use crate::domain::forms;
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
    /// Up to which byte the transcript of each session was read, so that nothing counts twice.
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
