//! The commands that one configuration file names.

use std::collections::BTreeMap;
use std::fmt;

use camino::Utf8Path;

use super::keys::ConfigFile;
use super::roles::{Role, RoleCommand};

/// A command of the file, as trust sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named<'a> {
    /// The table that names it, without its brackets.
    pub table: Table<'a>,
    pub argv: &'a [String],
    /// Where it runs, relative to the project's root.
    pub cwd: &'a Utf8Path,
}

/// A table of the file that names a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table<'a> {
    Role(Role),
    Check(&'a str),
    Tool(&'a str),
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Table::Role(role) => role.fmt(f),
            Table::Check(name) => write!(f, "checks.{name}"),
            Table::Tool(name) => write!(f, "tools.{name}"),
        }
    }
}

impl ConfigFile {
    /// The commands of roles.
    pub fn roles(&self) -> BTreeMap<Role, &RoleCommand> {
        let single = [
            (Role::Auditor, &self.auditor),
            (Role::Planner, &self.planner),
            (Role::Evaluator, &self.evaluator),
            (Role::Interpreter, &self.interpreter),
            (Role::Summarizer, &self.summarizer),
            (Role::Agent, &self.runner.agent),
        ];
        let single = single
            .into_iter()
            .flat_map(|(role, it)| Some((role, it.as_ref()?)));
        let reviewers = self
            .reviewer
            .iter()
            .map(|(role, it)| (Role::Reviewer(*role), it));
        single.chain(reviewers).collect()
    }

    /// Every command that the file would have run, in one order: a new kind of command joins here,
    /// and trust covers it.
    pub fn commands(&self) -> Vec<Named<'_>> {
        let roles = self.roles().into_iter().map(|(role, command)| Named {
            table: Table::Role(role),
            argv: &command.argv,
            cwd: Utf8Path::new(""),
        });
        let tools = self.tools.iter().map(|(name, tool)| Named {
            table: Table::Tool(name),
            argv: &tool.argv.0,
            cwd: &tool.cwd.0,
        });
        let checks = self.checks.iter().map(|(name, check)| Named {
            table: Table::Check(name),
            argv: &check.argv.0,
            cwd: &check.cwd.0,
        });
        roles.chain(tools).chain(checks).collect()
    }
}
