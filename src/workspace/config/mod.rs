//! Configuration: the project's and the user's files, and what one call says
//! (docs/configuration.md).
//!
//! Reading the ledger needs none of this, so a broken file is an error only for those who ask.

mod checks;
mod file;
mod gate;
mod progress;
mod read;
mod runner;
mod tasks;

use std::collections::BTreeMap;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

pub use checks::{Check, Criteria};
pub use file::{ConfigFile, Named, RoleCommand, Table, Tool};
pub use gate::{GateTable, Place, Require};
pub use progress::{Abandon, BaselineTable, ProgressSettings, ProgressTable};
pub use read::{ConfigError, Parsed, parse, read_project, read_user};
pub use runner::{Runner, RunnerTable};
pub use tasks::{TaskLimits, TasksTable};

use super::presets::Preset;
use crate::domain::goal::slots::SLOTS;
use crate::domain::review::ReviewRole;
use crate::domain::task::limits::SUMMARY_TOKENS;

/// An auditor's deadline when nobody said one (docs/auditor-protocol.md#how-an-auditor-is-started).
pub const AUDIT_TIMEOUT: Duration = Duration::from_secs(1800);
/// A reviewer's deadline when nobody said one.
pub const REVIEW_TIMEOUT: Duration = Duration::from_secs(600);
/// A planner's deadline when nobody said one.
pub const PLAN_TIMEOUT: Duration = Duration::from_secs(600);
/// A check's deadline when nobody said one.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(600);

/// The deadline of evaluator, interpreter and summarizer when nobody said one.
pub const ROLE_TIMEOUT: Duration = Duration::from_secs(600);
/// An agent's deadline for one iteration, when neither a file nor `ITERATION_TIMEOUT` said one.
pub const AGENT_TIMEOUT: Duration = Duration::from_secs(300);
/// A tool's deadline when nobody said one: the auditor's.
pub const TOOL_TIMEOUT: Duration = AUDIT_TIMEOUT;
/// The most bytes of a tool's result when nobody said so: what a next step works with fits, what a
/// program prints for people does not.
pub const MAX_RESULT: usize = 8 * 1024;

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Built in.
    Default,
    /// The user's own file: runs without being trusted first.
    User,
    /// The project's file: runs only when trusted.
    Project,
    /// `GOAL_AUDITOR`
    Environment,
    /// An option of this call.
    Flag,
}

impl Source {
    /// The name that interfaces show.
    pub fn name(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::User => "user",
            Source::Project => "project",
            Source::Environment => "environment",
            Source::Flag => "flag",
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// Both files as they were read. A missing file is `None`.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// `.pi/goals/config.toml`
    pub project: Option<Parsed>,
    /// `goal/config.toml` in the user's configuration directory.
    pub user: Option<Parsed>,
}

/// A part to play that an external command is configured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Judges completion.
    Auditor,
    /// Gives an opinion that decides nothing.
    Reviewer(ReviewRole),
    /// Decomposes goals and tasks.
    Planner,
    /// Says whether a predicate is true of the evidence.
    Evaluator,
    /// Says what a message means for the goal.
    Interpreter,
    /// Sums up what happened so far.
    Summarizer,
    /// Works a goal that the runner runs.
    Agent,
}

impl Role {
    /// The option by which a call chooses its command.
    pub fn option(self) -> &'static str {
        match self {
            Role::Auditor => "--auditor",
            Role::Reviewer(_) => "--reviewer",
            Role::Planner => "--planner",
            Role::Evaluator => "--evaluator",
            Role::Interpreter => "--interpreter",
            Role::Summarizer => "--summarizer",
            Role::Agent => "--agent",
        }
    }

    /// The deadline when nobody said one.
    pub fn default_timeout(self) -> Duration {
        match self {
            Role::Auditor => AUDIT_TIMEOUT,
            Role::Reviewer(_) => REVIEW_TIMEOUT,
            Role::Planner => PLAN_TIMEOUT,
            Role::Agent => AGENT_TIMEOUT,
            Role::Evaluator | Role::Interpreter | Role::Summarizer => ROLE_TIMEOUT,
        }
    }
}

/// What one call says about the command of a role. Choosing one is the user's: the caller passes
/// nothing here for anybody else (docs/design/gate.md#trust).
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// The role's option.
    pub flag: Option<&'a str>,
    /// `GOAL_AUDITOR`, which other roles do not have.
    pub environment: Option<&'a str>,
}

/// The configuration in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Who judges; none is configured at all when it is `None`.
    pub auditor: Option<Sourced<RoleCommand>>,
    /// Who reviews, by role.
    pub reviewers: BTreeMap<ReviewRole, Sourced<RoleCommand>>,
    /// Who plans.
    pub planner: Option<Sourced<RoleCommand>>,
    /// Who answers predicates.
    pub evaluator: Option<Sourced<RoleCommand>>,
    /// Who interprets messages.
    pub interpreter: Option<Sourced<RoleCommand>>,
    /// Who sums up.
    pub summarizer: Option<Sourced<RoleCommand>>,
    /// Who works goals that the runner runs.
    pub agent: Option<Sourced<RoleCommand>>,
    /// How the runner goes about it.
    pub runner: Runner,
    /// The checks by name.
    pub checks: BTreeMap<String, Sourced<Check>>,
    /// The tools by name.
    pub tools: BTreeMap<String, Sourced<Tool>>,
    /// The most tokens of a rolling summary, where somebody said.
    pub summary_tokens: Option<Sourced<usize>>,
    /// How large plans may be.
    pub tasks: TaskLimits,
    /// What is made of evaluations.
    pub progress: ProgressSettings,
    /// The most active goals of one owner, where somebody said.
    pub slots: Option<Sourced<usize>>,
}

/// Reads both files. `user` is `None` when there is no home.
pub fn load(project: &Utf8Path, user: Option<&Utf8Path>) -> Result<Loaded, ConfigError> {
    Ok(Loaded {
        project: read_project(project)?,
        user: user.map(read_user).transpose()?.flatten(),
    })
}

/// Merges: the project's file over the user's. A role's command is taken whole from one source,
/// so that no project can slip a model under the user's command; reviewers and checks go by name.
pub fn resolve(loaded: &Loaded) -> Config {
    let files = [
        (&loaded.user, Source::User),
        (&loaded.project, Source::Project),
    ];
    let mut config = Config::default();
    for (parsed, source) in files {
        let Some(parsed) = parsed else { continue };
        if let Some(auditor) = &parsed.file.auditor {
            config.auditor = Some(sourced(auditor, source));
        }
        for (role, reviewer) in &parsed.file.reviewer {
            config.reviewers.insert(*role, sourced(reviewer, source));
        }
        let file = &parsed.file;
        for (role, of_file) in [
            (&mut config.planner, &file.planner),
            (&mut config.evaluator, &file.evaluator),
            (&mut config.interpreter, &file.interpreter),
            (&mut config.summarizer, &file.summarizer),
        ] {
            if let Some(command) = of_file {
                *role = Some(sourced(command, source));
            }
        }
        for (name, tool) in &file.tools {
            config.tools.insert(name.clone(), sourced(tool, source));
        }
        if let Some(most) = file.context.summary_tokens {
            config.summary_tokens = Some(sourced(&most.get(), source));
        }
        if let Some(slots) = file.owners.slots {
            config.slots = Some(sourced(&slots.get(), source));
        }
        config.tasks.merge(&parsed.file.tasks, source);
        config.runner.merge(&file.runner, source);
        if let Some(agent) = &file.runner.agent {
            config.agent = Some(sourced(&agent.0, source));
        }
        config
            .progress
            .merge(&file.progress, &file.baseline, source);
        for (name, check) in &parsed.file.checks {
            config.checks.insert(name.clone(), sourced(check, source));
        }
    }
    config
}

fn sourced<T: Clone>(value: &T, source: Source) -> Sourced<T> {
    Sourced {
        value: value.clone(),
        source,
    }
}

impl Config {
    /// The command of a role: what the call chose, else what is configured. `cwd` is what a chosen
    /// executable's relative path is relative to.
    ///
    /// # Errors
    /// A choice that is nothing.
    pub fn command(
        &self,
        role: Role,
        choice: Choice<'_>,
        cwd: &Utf8Path,
    ) -> Result<Option<Sourced<RoleCommand>>, ConfigError> {
        let chosen = [
            (choice.flag, role.option(), Source::Flag),
            (choice.environment, "GOAL_AUDITOR", Source::Environment),
        ];
        for (text, origin, source) in chosen {
            if let Some(text) = text {
                let value = chosen_command(role, text, origin, cwd)?;
                return Ok(Some(Sourced { value, source }));
            }
        }
        Ok(match role {
            Role::Auditor => self.auditor.clone(),
            Role::Reviewer(role) => self.reviewers.get(&role).cloned(),
            Role::Planner => self.planner.clone(),
            Role::Evaluator => self.evaluator.clone(),
            Role::Interpreter => self.interpreter.clone(),
            Role::Summarizer => self.summarizer.clone(),
            Role::Agent => self.agent.clone(),
        })
    }
}

impl Config {
    /// The most tokens of a rolling summary.
    pub fn summary_tokens(&self) -> Sourced<usize> {
        self.summary_tokens.clone().unwrap_or(Sourced {
            value: SUMMARY_TOKENS,
            source: Source::Default,
        })
    }
}

impl Config {
    /// The most active goals of one owner.
    pub fn slots(&self) -> Sourced<usize> {
        self.slots.clone().unwrap_or(Sourced {
            value: SLOTS,
            source: Source::Default,
        })
    }
}

impl Sourced<Tool> {
    /// The deadline in force.
    pub fn timeout(&self) -> Sourced<Duration> {
        or_default(self.value.timeout, self.source, TOOL_TIMEOUT)
    }

    /// The most bytes of its result, in force.
    pub fn max_result(&self) -> Sourced<usize> {
        match self.value.max_result {
            Some(most) => Sourced {
                value: most.get(),
                source: self.source,
            },
            None => Sourced {
                value: MAX_RESULT,
                source: Source::Default,
            },
        }
    }
}

/// A preset's name, or one executable: with a `/` a path, without one looked up on the `PATH`.
/// Neither split nor given to a shell.
fn chosen_command(
    role: Role,
    text: &str,
    origin: &'static str,
    cwd: &Utf8Path,
) -> Result<RoleCommand, ConfigError> {
    if text.is_empty() || text.contains('\0') {
        return Err(ConfigError::Choice { origin });
    }
    if let Some(preset) = Preset::named(text) {
        return Ok(RoleCommand::preset(role, preset));
    }
    // It runs in the project's root, which need not be where the path was typed.
    let path = if text.contains('/') {
        cwd.join(text)
            .components()
            .collect::<Utf8PathBuf>()
            .into_string()
    } else {
        text.to_owned()
    };
    Ok(RoleCommand::executable(path))
}

impl Sourced<RoleCommand> {
    /// The deadline in force.
    pub fn timeout(&self, role: Role) -> Sourced<Duration> {
        or_default(self.value.timeout, self.source, role.default_timeout())
    }
}

impl Sourced<Check> {
    /// The deadline in force.
    pub fn timeout(&self) -> Sourced<Duration> {
        self.timeout_or(CHECK_TIMEOUT)
    }

    /// The deadline in force where `default` takes the place of the built-in one.
    pub fn timeout_or(&self, default: Duration) -> Sourced<Duration> {
        or_default(self.value.timeout, self.source, default)
    }
}

fn or_default(said: Option<Duration>, source: Source, default: Duration) -> Sourced<Duration> {
    match said {
        Some(value) => Sourced { value, source },
        None => Sourced {
            value: default,
            source: Source::Default,
        },
    }
}

#[cfg(test)]
mod tests;
