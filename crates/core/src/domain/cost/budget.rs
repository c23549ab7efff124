//! Budgets: the limits that the user sets, and whether what was spent goes over them.
//!
//! | limit | of what | `--standard` |
//! |---|---|---|
//! | `maxLlmCalls` | the counter `llmCalls` of the goal | 200 |
//! | `maxTokens` | the counters `tokensIn` and `tokensOut` of the goal; tokens from a cache (`tokensCached`) do not count | – |
//! | `maxSeconds` | the counter `seconds` of the goal: time worked, not time passed | 7,200 |
//! | `maxSecondsPerCheckpoint` | the counter `seconds` of each checkpoint that is open, with the tasks below it; of what names no task while the goal has none | 600 |
//! | `costUsd` | the counter `costUsd` of the goal | 5 |
//!
//! | spent | is |
//! |---|---|
//! | less than the limit, or exactly the limit | within it |
//! | more than the limit | over it |
//! | anything, without a limit | within it |
//!
//! There are no limits but those (docs/owners.md#limits): who sets none spends without end.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::cost::state::{
    COST_USD, Cost, LLM_CALLS, SECONDS, TOKENS_IN, TOKENS_OUT, Totals,
};
use crate::domain::forms;
use crate::domain::goal::state::Goal;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::words::words;

/// What the limits are held against. Whoever knows of more than the ledger does, such as a runner
/// in the middle of a checkpoint, adds it before asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub llm_calls: Amount,
    pub tokens: Amount,
    pub seconds: Amount,
    /// On the open checkpoint that took longest.
    pub checkpoint_seconds: Amount,
    pub cost_usd: Amount,
}

impl Spent {
    /// What the goal's events say.
    pub fn of(goal: &Goal) -> Spent {
        Spent::on(&goal.cost, &goal.tasks)
    }

    /// What this cost says of a goal with these tasks.
    pub fn on(cost: &Cost, tasks: &Tasks) -> Spent {
        let mut tokens = counter(&cost.total, TOKENS_IN);
        tokens += counter(&cost.total, TOKENS_OUT);
        Spent {
            llm_calls: counter(&cost.total, LLM_CALLS),
            tokens,
            seconds: counter(&cost.total, SECONDS),
            checkpoint_seconds: longest(cost, tasks),
            cost_usd: counter(&cost.total, COST_USD),
        }
    }

    /// What a limit is held against.
    pub fn under(&self, limit: Limit) -> Amount {
        match limit {
            Limit::MaxLlmCalls => self.llm_calls,
            Limit::MaxTokens => self.tokens,
            Limit::MaxSeconds => self.seconds,
            Limit::MaxSecondsPerCheckpoint => self.checkpoint_seconds,
            Limit::CostUsd => self.cost_usd,
        }
    }
}

fn counter(totals: &Totals, name: &str) -> Amount {
    totals.get(name).copied().unwrap_or_default()
}

/// The seconds of the open checkpoint that took longest.
fn longest(cost: &Cost, tasks: &Tasks) -> Amount {
    if tasks.specs.is_empty() {
        let named = cost.tasks.get(&None);
        return named.map_or_else(Amount::default, |totals| counter(totals, SECONDS));
    }
    let standing = TaskStatuses::of(tasks);
    let mut checkpoints: BTreeMap<&str, Amount> = BTreeMap::new();
    for (task, totals) in &cost.tasks {
        let path = task.as_deref().map(|id| tasks.path(id));
        let first = path.as_ref().and_then(|path| path.first());
        if let Some(checkpoint) = first.filter(|id| standing.status(id).is_open()) {
            *checkpoints.entry(checkpoint).or_default() += counter(totals, SECONDS);
        }
    }
    checkpoints.into_values().max().unwrap_or_default()
}

/// A limit that was gone over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    pub limit: Limit,
    pub most: Amount,
    pub spent: Amount,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, what) = (self.limit.name(), self.limit.of_what());
        write!(f, "{} of {} {what} ({limit})", self.spent, self.most)
    }
}

impl Exceeded {
    /// The limit that allows as much again, beside what was spent.
    fn raised(&self) -> Amount {
        let mut raised = self.spent;
        raised += self.most;
        raised
    }
}

/// The limits that were gone over, in the order of [`Limit::ALL`]; none when all is well.
pub fn exceeded(limits: &Limits, spent: &Spent) -> Vec<Exceeded> {
    let set = limits.0.iter();
    let all = set.map(|(limit, most)| Exceeded {
        limit: *limit,
        most: *most,
        spent: spent.under(*limit),
    });
    all.filter(|it| it.spent > it.most).collect()
}

/// Why the goal is over its budget, in words; nothing while it is within it.
pub fn over(goal: &Goal) -> Option<String> {
    words(&exceeded(&goal.cost.limits, &Spent::of(goal)))
}

/// The options of `goal budget` that raise what the goal went over, so that it may spend as much again.
pub fn raising(exceeded: &[Exceeded]) -> String {
    let option = |it: &Exceeded| format!("{} {}", it.limit.option(), it.raised());
    exceeded.iter().map(option).collect::<Vec<_>>().join(" ")
}

/// The same for a goal; nothing while it is within its budget.
pub fn raised(goal: &Goal) -> Option<String> {
    let over = exceeded(&goal.cost.limits, &Spent::of(goal));
    (!over.is_empty()).then(|| raising(&over))
}

/// These limits in words; nothing when there are none.
pub fn words(exceeded: &[Exceeded]) -> Option<String> {
    let all: Vec<String> = exceeded.iter().map(ToString::to_string).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

words! {
    /// What can be limited.
    pub enum Limit listed {
        MaxLlmCalls = "maxLlmCalls",
        MaxTokens = "maxTokens",
        MaxSeconds = "maxSeconds",
        MaxSecondsPerCheckpoint = "maxSecondsPerCheckpoint",
        CostUsd = "costUsd",
    }
}

impl Limit {
    /// The option that sets it.
    pub fn option(self) -> &'static str {
        self.row().0
    }

    /// What `--standard` sets it to; nothing where that leaves it as it is.
    pub fn standard(self) -> Option<Amount> {
        self.row().1.map(Amount::from)
    }

    /// What it limits, in a sentence.
    pub(super) fn of_what(self) -> &'static str {
        self.row().2
    }

    /// Its option, what `--standard` sets it to, and what it limits, in a sentence.
    fn row(self) -> (&'static str, Option<u32>, &'static str) {
        match self {
            Limit::MaxLlmCalls => ("--max-llm-calls", Some(200), "model calls"),
            Limit::MaxTokens => ("--max-tokens", None, "tokens"),
            Limit::MaxSeconds => ("--max-seconds", Some(7200), "seconds"),
            Limit::MaxSecondsPerCheckpoint => {
                let what = "seconds on a checkpoint";
                ("--max-seconds-per-checkpoint", Some(600), what)
            }
            Limit::CostUsd => ("--cost-usd", Some(5), "USD"),
        }
    }
}

/// The limits that are set; any other is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits(#[serde(with = "forms::pairs")] pub BTreeMap<Limit, Amount>);

impl Limits {
    /// Every limit that `--standard` sets, at what it sets it to.
    pub fn standard() -> Limits {
        let all = Limit::ALL.into_iter();
        Limits(
            all.filter_map(|limit| Some((limit, limit.standard()?)))
                .collect(),
        )
    }

    /// Of each limit the smaller number; what one of them does not limit is limited by the other.
    #[must_use]
    pub fn smaller(mut self, other: Limits) -> Limits {
        for (limit, most) in other.0 {
            let known = self.0.entry(limit).or_insert(most);
            *known = (*known).min(most);
        }
        self
    }

    /// As an event has them. A name that is no limit, or a number that is no amount, limits nothing.
    pub fn read(limits: &BTreeMap<String, f64>) -> Limits {
        let all = limits.iter();
        let set = all.filter_map(|(name, most)| Some((Limit::named(name)?, Amount::of(*most)?)));
        Limits(set.collect())
    }

    /// As an event has them.
    pub fn written(&self) -> BTreeMap<String, f64> {
        let all = self.0.iter();
        all.map(|(limit, most)| (limit.name().to_owned(), most.number()))
            .collect()
    }
}

#[cfg(test)]
mod tests;
