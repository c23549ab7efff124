//! `[progress]` and `[baseline]`: what is made of evaluations, and what is measured before work.

use serde::Deserialize;

use super::file::Text;
use super::{Source, Sourced};
use crate::domain::progress::tick;

/// Who gives up a goal whose escalations brought nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Abandon {
    /// The user, to whom it is suggested.
    #[default]
    Suggest,
    /// The program, with the evaluation that finds it so.
    Auto,
}

impl Abandon {
    /// The word in the file.
    pub fn name(self) -> &'static str {
        match self {
            Abandon::Suggest => "suggest",
            Abandon::Auto => "auto",
        }
    }
}

/// What one file says of progress. What it leaves out is as it is elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgressTable {
    abandon: Option<Abandon>,
    evaluate_every: Option<Ticks>,
}

/// What one file says of baselines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineTable {
    /// The check whose output is the baseline of every new goal.
    check: Option<Text>,
}

/// What is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressSettings {
    pub abandon: Sourced<Abandon>,
    /// After how many ticks an evaluation is due.
    pub evaluate_every: Sourced<u32>,
    /// The name of the check that new goals' baselines come from.
    pub baseline: Option<Sourced<String>>,
}

impl Default for ProgressSettings {
    fn default() -> ProgressSettings {
        let source = Source::Default;
        ProgressSettings {
            abandon: Sourced {
                value: Abandon::default(),
                source,
            },
            evaluate_every: Sourced {
                value: tick::EVERY,
                source,
            },
            baseline: None,
        }
    }
}

impl ProgressSettings {
    /// Lets a file have its say.
    pub(super) fn merge(
        &mut self,
        progress: &ProgressTable,
        baseline: &BaselineTable,
        source: Source,
    ) {
        if let Some(value) = progress.abandon {
            self.abandon = Sourced { value, source };
        }
        if let Some(Ticks(value)) = progress.evaluate_every {
            self.evaluate_every = Sourced { value, source };
        }
        if let Some(Text(check)) = &baseline.check {
            let value = check.clone();
            self.baseline = Some(Sourced { value, source });
        }
    }
}

/// From 1 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
struct Ticks(u32);

impl TryFrom<u32> for Ticks {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Ticks, &'static str> {
        match number {
            1..=1_000 => Ok(Ticks(number)),
            _ => Err("a number from 1 to 1000"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_only_what_it_names_and_names_it_rightly() {
        let table = |text: &str| toml::from_str::<ProgressTable>(text);
        let mut settings = ProgressSettings::default();
        assert_eq!(settings.abandon.value, Abandon::Suggest);
        let check = toml::from_str::<BaselineTable>("check = \"tests\"").unwrap();
        let nothing = BaselineTable::default();
        settings.merge(
            &table("abandon = \"auto\"").unwrap(),
            &nothing,
            Source::User,
        );
        settings.merge(
            &table("evaluateEvery = 5").unwrap(),
            &check,
            Source::Project,
        );
        assert_eq!(settings.abandon.value, Abandon::Auto);
        assert_eq!(settings.abandon.source, Source::User);
        assert_eq!(settings.evaluate_every.value, 5);
        assert_eq!(settings.baseline.unwrap().value, "tests");
        for wrong in [
            "abandon = true",
            "abandon = \"never\"",
            "evaluateEvery = 0",
            "evaluateEvery = 1001",
            "evaluateEvery = 1.5",
            "every = 3",
        ] {
            assert!(table(wrong).is_err(), "{wrong}");
        }
        for wrong in ["check = \"\"", "check = [\"x\"]", "command = \"x\""] {
            assert!(toml::from_str::<BaselineTable>(wrong).is_err(), "{wrong}");
        }
    }
}
