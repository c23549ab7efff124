//! The limits that the user can set; [`crate::domain::cost::budget`] has the table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::forms;
use crate::domain::words::words;

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
