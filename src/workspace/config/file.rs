//! One configuration file: the shape of its TOML, checked while it is parsed, so that whatever
//! has been parsed can be run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use camino::Utf8Path;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::gate::GateTable;
use super::keys::said::Keys;
use super::named::{Checks, Tools};
use super::roles::{Reviewers, Role, RoleCommand};

/// A `config.toml`. Unknown keys are errors: a misspelt limit must not silently be none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// `[auditor]`, `[reviewer.ROLE]`, `[runner.agent]` and so on.
    pub roles: BTreeMap<Role, RoleCommand>,
    /// `[checks.NAME]`
    pub checks: Checks,
    /// `[tools.NAME]`
    pub tools: Tools,
    /// The tables of single values.
    pub(super) keys: Keys,
    /// `[gate]`
    pub gate: GateTable,
}

/// The tables that a file can have at its top.
static TABLES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let single = |role: Role| match role {
        // One name stands for the tables of all reviewers, which go before it.
        Role::Planner => vec!["reviewer", role.name()],
        role => vec![role.name()],
    };
    let mut tables: Vec<&str> = Role::at_top().flat_map(single).collect();
    tables.extend(["checks", "tools"]);
    tables.extend(Keys::TABLES);
    tables.push("gate");
    tables
});

/// A table of earlier versions, which said where the ledger is: there is one home now.
const RETIRED: &str = "ledger";

/// The name of one of them.
struct Top(&'static str);

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Top, D::Error> {
        let name = String::deserialize(input)?;
        let mut known = TABLES.iter().chain([&RETIRED]);
        let known = known.find(|known| **known == name);
        known
            .map(|known| Top(known))
            .ok_or_else(|| de::Error::unknown_field(&name, &TABLES))
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = ConfigFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a configuration")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ConfigFile, M::Error> {
        let mut file = ConfigFile::default();
        while let Some(Top(table)) = map.next_key()? {
            match table {
                "reviewer" => file.roles.extend(map.next_value::<Reviewers>()?.0),
                "checks" => file.checks = map.next_value()?,
                "tools" => file.tools = map.next_value()?,
                "gate" => file.gate = map.next_value()?,
                RETIRED => _ = map.next_value::<IgnoredAny>()?,
                table => match Role::at_top().find(|role| role.name() == table) {
                    Some(role) => _ = file.roles.insert(role, map.next_value()?),
                    None => file.keys.read(table, &mut map)?,
                },
            }
        }
        let agent = file.keys.runner.agent.take();
        let agent = agent.map(|agent| (Role::Agent, agent.0));
        file.roles.extend(agent);
        Ok(file)
    }
}

impl<'de> Deserialize<'de> for ConfigFile {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<ConfigFile, D::Error> {
        input.deserialize_map(Reading)
    }
}

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
    /// `setup` of `[runner]`.
    Setup,
    /// `copy` of `[runner]`, which runs nothing.
    Copy,
    /// `after` of `[runner]`.
    After,
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Table::Role(role) => role.fmt(f),
            Table::Check(name) => write!(f, "checks.{name}"),
            Table::Tool(name) => write!(f, "tools.{name}"),
            Table::Setup => f.write_str("runner.setup"),
            Table::Copy => f.write_str("runner.copy"),
            Table::After => f.write_str("runner.after"),
        }
    }
}

impl ConfigFile {
    /// Every command that the file would have run, in one order: a new kind of command joins here,
    /// and trust covers it.
    pub fn commands(&self) -> Vec<Named<'_>> {
        let roles = self.roles.iter().map(|(role, command)| Named {
            table: Table::Role(*role),
            argv: &command.argv,
            cwd: Utf8Path::new(""),
        });
        let tools = self.tools.0.iter().map(|(name, tool)| Named {
            table: Table::Tool(name),
            argv: &tool.argv.0,
            cwd: &tool.cwd.0,
        });
        let checks = self.checks.0.iter().map(|(name, check)| Named {
            table: Table::Check(name),
            argv: &check.argv.0,
            cwd: &check.cwd.0,
        });
        let runner = &self.keys.runner;
        let around = [(Table::Setup, &runner.setup), (Table::After, &runner.after)];
        let around = around.into_iter().filter_map(|(table, argv)| {
            Some(Named {
                table,
                argv: &argv.as_ref()?.0,
                cwd: Utf8Path::new(""),
            })
        });
        roles.chain(tools).chain(checks).chain(around).collect()
    }

    /// Whether there is something in it that the user has to trust before it counts.
    pub fn asks_for_trust(&self) -> bool {
        let copies = self
            .keys
            .runner
            .copy
            .as_ref()
            .is_some_and(|it| !it.0.is_empty());
        copies || !self.commands().is_empty()
    }
}
