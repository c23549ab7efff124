//! The limits that the user can set; [`crate::domain::cost::budget`] has the table.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::cost::amount::Amount;
use crate::domain::forms;

/// What can be limited.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Limit {
    MaxLlmCalls,
    MaxSeconds,
    MaxSecondsPerCheckpoint,
    CostUsd,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Limit; 4] = [
        Limit::MaxLlmCalls,
        Limit::MaxSeconds,
        Limit::MaxSecondsPerCheckpoint,
        Limit::CostUsd,
    ];

    /// The name in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Limit::MaxLlmCalls => "maxLlmCalls",
            Limit::MaxSeconds => "maxSeconds",
            Limit::MaxSecondsPerCheckpoint => "maxSecondsPerCheckpoint",
            Limit::CostUsd => "costUsd",
        }
    }

    /// The option that sets it.
    pub fn option(self) -> &'static str {
        match self {
            Limit::MaxLlmCalls => "--max-llm-calls",
            Limit::MaxSeconds => "--max-seconds",
            Limit::MaxSecondsPerCheckpoint => "--max-seconds-per-checkpoint",
            Limit::CostUsd => "--cost-usd",
        }
    }

    /// What `--standard` sets it to.
    pub fn standard(self) -> Amount {
        match self {
            Limit::MaxLlmCalls => 200.into(),
            Limit::MaxSeconds => 7200.into(),
            Limit::MaxSecondsPerCheckpoint => 600.into(),
            Limit::CostUsd => 5.into(),
        }
    }

    /// What is limited, in a sentence.
    pub(super) fn of_what(self) -> &'static str {
        match self {
            Limit::MaxLlmCalls => "model calls",
            Limit::MaxSeconds => "seconds",
            Limit::MaxSecondsPerCheckpoint => "seconds on a checkpoint",
            Limit::CostUsd => "USD",
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
