//! The limits that the user can set; [`crate::domain::cost::budget`] has the table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::forms;
use crate::domain::words::words;

words! {
    /// What can be limited.
    pub enum Limit {
        MaxLlmCalls = "maxLlmCalls",
        MaxSeconds = "maxSeconds",
        MaxSecondsPerCheckpoint = "maxSecondsPerCheckpoint",
        CostUsd = "costUsd",
    }
}

impl Limit {
    /// Every limit.
    pub const ALL: [Limit; 4] = [
        Limit::MaxLlmCalls,
        Limit::MaxSeconds,
        Limit::MaxSecondsPerCheckpoint,
        Limit::CostUsd,
    ];

    /// The option that sets it.
    pub fn option(self) -> &'static str {
        self.row().0
    }

    /// What `--standard` sets it to.
    pub fn standard(self) -> Amount {
        self.row().1.into()
    }

    /// What it limits, in a sentence.
    pub(super) fn of_what(self) -> &'static str {
        self.row().2
    }

    /// Its option, what `--standard` sets it to, and what it limits, in a sentence.
    fn row(self) -> (&'static str, u32, &'static str) {
        match self {
            Limit::MaxLlmCalls => ("--max-llm-calls", 200, "model calls"),
            Limit::MaxSeconds => ("--max-seconds", 7200, "seconds"),
            Limit::MaxSecondsPerCheckpoint => {
                let what = "seconds on a checkpoint";
                ("--max-seconds-per-checkpoint", 600, what)
            }
            Limit::CostUsd => ("--cost-usd", 5, "USD"),
        }
    }
}

/// The limits that are set; any other is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits(#[serde(with = "forms::pairs")] pub BTreeMap<Limit, Amount>);

impl Limits {
    /// Every limit at what `--standard` sets it to.
    pub fn standard() -> Limits {
        Limits(Limit::ALL.map(|limit| (limit, limit.standard())).into())
    }

    /// As an event has them. A name that is no limit, or a number that is no amount, limits nothing.
    pub fn read(limits: &BTreeMap<String, f64>) -> Limits {
        let all = Limit::ALL.into_iter();
        let set = all.filter_map(|limit| Some((limit, Amount::of(*limits.get(limit.name())?)?)));
        Limits(set.collect())
    }

    /// As an event has them.
    pub fn written(&self) -> BTreeMap<String, f64> {
        let all = self.0.iter();
        all.map(|(limit, most)| (limit.name().to_owned(), most.number()))
            .collect()
    }
}
