//! Configuration: the project's and the user's files, and what one call says
//! (docs/configuration.md).
//!
//! Reading the ledger needs none of this, so a broken file is an error only for those who ask.

mod file;
mod gate;
mod keys;
mod named;
#[cfg(test)]
mod page;
mod read;
mod roles;
mod values;

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

pub use file::{CommandSource, ConfigFile};
pub use gate::{ConfiguredPath, GateTable};
pub use keys::{Keys, Runner};
pub use named::{CHECK_TIMEOUT, CheckInForce, Criteria, ToolInForce};
pub use read::{ConfigError, Parsed, check_text, read_project, read_user};
pub use roles::{CommandInForce, Role, RoleCommand, Roles};
pub use values::{Abandon, Sourced};
#[cfg(any(test, feature = "internals"))]
pub use {named::MAX_RESULT, read::parse};

use super::presets::Preset;
use crate::domain::words::words;

words! {
    /// Where a value came from.
    pub enum Source {
        /// Built in.
        Default = "default",
        /// The user's own file: runs without being trusted first.
        User = "user",
        /// The project's file: runs only when trusted.
        Project = "project",
        /// `GOAL_AUDITOR`
        Environment = "environment",
        /// An option of this call.
        Flag = "flag",
    }
}

/// Both files as they were read. A missing file is `None`.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// `.pi/goals/config.toml`
    pub project: Option<Parsed>,
    /// `goal/config.toml` in the user's configuration directory.
    pub user: Option<Parsed>,
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
    /// The commands that play roles; a role is missing where none is configured.
    pub roles: Roles,
    pub checks: BTreeMap<String, CheckInForce>,
    pub tools: BTreeMap<String, ToolInForce>,
    /// What is set by one value each.
    pub keys: Keys,
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
        let Some(Parsed { file, .. }) = parsed else {
            continue;
        };
        for (role, command) in &file.roles {
            let command = command.clone().in_force(*role, source);
            config.roles.0.insert(*role, command);
        }
        for (name, tool) in &file.tools.0 {
            config
                .tools
                .insert(name.clone(), tool.in_force(name, source));
        }
        for (name, check) in &file.checks.0 {
            config
                .checks
                .insert(name.clone(), check.in_force(name, source));
        }
        config.keys.merge(&file.keys, source);
    }
    config
}

impl Config {
    /// Whether a command is configured for this role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.0.contains_key(&role)
    }

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
    ) -> Result<Option<CommandInForce>, ConfigError> {
        let chosen = [
            (choice.flag, role.option(), Source::Flag),
            (choice.environment, "GOAL_AUDITOR", Source::Environment),
        ];
        for (text, origin, source) in chosen {
            if let Some(text) = text {
                let command = chosen_command(role, text, origin, cwd)?;
                return Ok(Some(command.in_force(role, source)));
            }
        }
        Ok(self.roles.0.get(&role).cloned())
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
    // It runs in the project's root, which need not be where the path was typed.
    let path = || match text.contains('/') {
        true => cwd.join(text).components().collect::<Utf8PathBuf>(),
        false => text.into(),
    };
    let what = Preset::named(text).ok_or_else(|| path().into_string());
    RoleCommand::chosen(role, what).map_err(|_| ConfigError::Choice { origin })
}

#[cfg(test)]
mod tests;
