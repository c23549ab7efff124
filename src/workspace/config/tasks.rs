//! `[tasks]`: how large plans may be.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Source, Sourced};
use crate::domain::task::limits::Limits;

/// What one file says. What it leaves out is as it is elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TasksTable {
    max_depth: Option<AtMost<32>>,
    max_open: Option<AtMost<1_000>>,
    min_checkpoints: Option<AtMost<100>>,
    max_checkpoints: Option<AtMost<100>>,
    failed_plans: Option<AtMost<100>>,
    attempts: Option<AtMost<100>>,
}

/// The limits in force, by the name of their key, each with where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLimits(BTreeMap<&'static str, Sourced<u32>>);

impl Default for TaskLimits {
    fn default() -> TaskLimits {
        let limits = Limits::default();
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (fewest, most) = limits.checkpoints;
        let all = [
            ("maxDepth", small(limits.depth)),
            ("maxOpen", small(limits.open)),
            ("minCheckpoints", small(fewest)),
            ("maxCheckpoints", small(most)),
            ("failedPlans", limits.failed_plans),
            ("attempts", limits.attempts),
        ];
        let source = Source::Default;
        TaskLimits(BTreeMap::from(
            all.map(|(name, value)| (name, Sourced { value, source })),
        ))
    }
}

impl TaskLimits {
    /// Lets a file have its say.
    pub(super) fn merge(&mut self, table: &TasksTable, source: Source) {
        let all = [
            ("maxDepth", table.max_depth.map(|it| it.0)),
            ("maxOpen", table.max_open.map(|it| it.0)),
            ("minCheckpoints", table.min_checkpoints.map(|it| it.0)),
            ("maxCheckpoints", table.max_checkpoints.map(|it| it.0)),
            ("failedPlans", table.failed_plans.map(|it| it.0)),
            ("attempts", table.attempts.map(|it| it.0)),
        ];
        for (name, value) in all {
            if let Some(value) = value {
                self.0.insert(name, Sourced { value, source });
            }
        }
    }

    /// Every limit, by the name of its key.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Sourced<u32>)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// The limits as deciding takes them. Two files may contradict each other about checkpoints:
    /// then the larger number is both.
    pub fn limits(&self) -> Limits {
        let of = |name: &str| self.0.get(name).map_or(0, |sourced| sourced.value);
        let fewest = of("minCheckpoints") as usize;
        Limits {
            depth: of("maxDepth") as usize,
            open: of("maxOpen") as usize,
            checkpoints: (fewest, fewest.max(of("maxCheckpoints") as usize)),
            failed_plans: of("failedPlans"),
            attempts: of("attempts"),
        }
    }
}

/// A number from 1 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
struct AtMost<const MOST: u32>(u32);

impl<const MOST: u32> TryFrom<u32> for AtMost<MOST> {
    type Error = String;

    fn try_from(number: u32) -> Result<AtMost<MOST>, String> {
        match (1..=MOST).contains(&number) {
            true => Ok(AtMost(number)),
            false => Err(format!("a number from 1 to {MOST}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_file_says_is_as_it_is_built_in() {
        assert_eq!(TaskLimits::default().limits(), Limits::default());
        let mut limits = TaskLimits::default();
        let table = |text: &str| toml::from_str::<TasksTable>(text);
        limits.merge(&table("maxOpen = 9\nattempts = 5").unwrap(), Source::User);
        limits.merge(
            &table("maxOpen = 7\nminCheckpoints = 30").unwrap(),
            Source::Project,
        );
        let merged = limits.limits();
        assert_eq!((merged.open, merged.attempts, merged.depth), (7, 5, 10));
        assert_eq!(merged.checkpoints, (30, 30));
        for wrong in ["maxOpen = 0", "maxDepth = 33", "open = 1", "attempts = -1"] {
            assert!(table(wrong).is_err(), "{wrong}");
        }
    }
}
