//! `[runner]`: who works goals that the runner runs, and how it goes about it.

use std::time::Duration;

use serde::Deserialize;

use super::file::{RoleCommand, RoleTable};
use super::{Source, Sourced};
use crate::domain::run::stop::MOST_EMPTY;

/// Between two checkpoints, where nobody said.
const PAUSE: Duration = Duration::from_secs(2);

/// What one file says. What it leaves out is as it is elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunnerTable {
    /// `[runner.agent]`: what is run for every iteration.
    pub agent: Option<AgentCommand>,
    enabled: Option<bool>,
    auto_continue: Option<bool>,
    pause_between_checkpoints: Option<PauseSeconds>,
    empty_iterations: Option<Iterations>,
}

/// The command of an agent: a preset makes one that may change things.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RoleTable")]
pub struct AgentCommand(pub RoleCommand);

impl TryFrom<RoleTable> for AgentCommand {
    type Error = String;

    fn try_from(table: RoleTable) -> Result<AgentCommand, String> {
        let command = table.command(|preset, model| preset.agent_argv(model));
        command.map(AgentCommand)
    }
}

/// The runner's settings in force, but for its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    /// Without it `goal run` is refused.
    pub enabled: Sourced<bool>,
    /// `goal run --all` resumes what an interrupted run left paused. Of the user's own file only: no
    /// project can make work go on by itself.
    pub auto_continue: Sourced<bool>,
    /// How long nothing happens between two checkpoints.
    pub pause: Sourced<Duration>,
    /// How many iterations in a row may record no progress.
    pub empty_iterations: Sourced<u32>,
}

impl Default for Runner {
    fn default() -> Runner {
        Runner {
            enabled: built_in(true),
            auto_continue: built_in(false),
            pause: built_in(PAUSE),
            empty_iterations: built_in(MOST_EMPTY),
        }
    }
}

fn built_in<T>(value: T) -> Sourced<T> {
    Sourced {
        value,
        source: Source::Default,
    }
}

impl Runner {
    /// Lets a file have its say.
    pub(super) fn merge(&mut self, table: &RunnerTable, source: Source) {
        fn say<T>(into: &mut Sourced<T>, said: Option<T>, source: Source) {
            if let Some(value) = said {
                *into = Sourced { value, source };
            }
        }
        let own = table.auto_continue.filter(|_| source == Source::User);
        say(&mut self.enabled, table.enabled, source);
        say(&mut self.auto_continue, own, source);
        let pause = table.pause_between_checkpoints.map(|it| it.0);
        say(&mut self.pause, pause, source);
        let empty = table.empty_iterations.map(|it| it.0);
        say(&mut self.empty_iterations, empty, source);
    }
}

/// From none to an hour: a pause is no schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
struct PauseSeconds(Duration);

impl TryFrom<u64> for PauseSeconds {
    type Error = &'static str;

    fn try_from(seconds: u64) -> Result<PauseSeconds, &'static str> {
        match seconds {
            0..=3600 => Ok(PauseSeconds(Duration::from_secs(seconds))),
            _ => Err("a number of seconds from 0 to 3600"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
struct Iterations(u32);

impl TryFrom<u32> for Iterations {
    type Error = &'static str;

    fn try_from(number: u32) -> Result<Iterations, &'static str> {
        match number {
            1..=100 => Ok(Iterations(number)),
            _ => Err("a number from 1 to 100"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::presets::Preset;

    fn table(text: &str) -> Result<RunnerTable, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn what_no_file_says_is_as_it_is_built_in() {
        let mut runner = Runner::default();
        let project = "enabled = false\nautoContinue = true\npauseBetweenCheckpoints = 0\n";
        runner.merge(&table(project).unwrap(), Source::Project);
        assert_eq!(
            (runner.enabled.value, runner.auto_continue.value),
            (false, false),
            "a project makes nothing go on by itself"
        );
        assert_eq!(runner.pause.value, Duration::ZERO);
        assert_eq!(runner.empty_iterations.value, 3);
        let user = "autoContinue = true\nemptyIterations = 5\n";
        runner.merge(&table(user).unwrap(), Source::User);
        assert!(runner.auto_continue.value);
        assert_eq!(runner.empty_iterations.source, Source::User);
        for wrong in [
            "pauseBetweenCheckpoints = 3601",
            "emptyIterations = 0",
            "emptyIterations = 101",
            "enable = true",
            "agent = {}",
            "agent = {preset = \"vim\"}",
        ] {
            assert!(table(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_agent_may_change_things_where_an_auditor_may_not() {
        let agent = table("[agent]\npreset = \"codex\"").unwrap().agent.unwrap();
        assert_eq!(agent.0.preset, Some(Preset::Codex));
        assert!(agent.0.argv.contains(&"workspace-write".to_owned()));
        let own = table("[agent]\ncommand = [\"a\", \"b\"]\ntimeout = 9").unwrap();
        let own = own.agent.unwrap().0;
        assert_eq!(
            (own.argv.len(), own.timeout),
            (2, Some(Duration::from_secs(9)))
        );
    }
}
